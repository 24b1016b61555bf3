/// What people call a browser or an app, by what it calls itself (`User-Agent`). Untrusted text, for a list.
enum DeviceName {
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("CriOS/", "Chrome"), ("FxiOS/", "Firefox"),
        ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("Mac OS X", "Mac"),
        ("CrOS", "Chromebook"), ("Linux", "Linux"),
    ]
    private static let longest = 60

    static func text(_ agent: String) -> String {
        guard agent.hasPrefix("Mozilla/") else { return short(agent) }
        let browser = browsers.first { agent.contains($0.0) }?.1
        let system = systems.first { agent.contains($0.0) }?.1
        switch (browser, system) {
        case (let browser?, let system?): return "\(browser) · \(system)"
        case (let name?, nil), (nil, let name?): return name
        case (nil, nil): return short(agent)
        }
    }

    /// Apps begin with their name.
    private static func short(_ agent: String) -> String {
        let name = agent.prefix { $0 != "/" && $0 != "(" }
        let text = name.isEmpty ? agent[...] : name
        return text.isEmpty ? "?" : String(text.prefix(longest))
    }
}
