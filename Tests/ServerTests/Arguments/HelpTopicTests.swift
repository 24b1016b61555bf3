import Testing

@testable import Server

@Suite struct HelpTopicTests {
    @Test func `the program's help names every command`() {
        let text = HelpTopic.program.text
        let commands = [
            "serve", "migrate", "health", "doctor", "client", "user", "audit", "keys", "mail", "config", "openapi", "dev-issuer",
            "explain",
            "help", "version",
        ]
        for command in commands {
            #expect(text.contains("\n  \(command) "), "\(command)")
        }
    }

    @Test func `the help of client names every one of its commands`() {
        for command in [
            "client add", "client update", "client show", "client list", "client rotate", "client disable", "client enable",
            "client delete",
        ] {
            #expect(HelpTopic.client.text.contains("\n  \(command) "), "\(command)")
        }
    }

    @Test func `the help of the other groups names every one of their commands`() {
        for command in ["create", "find", "show", "disable", "enable", "sign-out", "delete", "export"] {
            #expect(HelpTopic.user.text.contains("\n  user \(command) "), "\(command)")
        }
        for command in ["list", "rotate", "retire", "show", "reseal"] {
            #expect(HelpTopic.keys.text.contains("\n  keys \(command) "), "\(command)")
        }
        for command in ["show", "test", "templates"] {
            #expect(HelpTopic.mail.text.contains("\n  mail \(command) "), "\(command)")
        }
        for option in ["--user", "--kind", "--since", "--until", "--limit", "--json", "--follow"] {
            #expect(HelpTopic.audit.text.contains("\n  \(option)"), "\(option)")
        }
    }

    @Test func `the help of client add names every option`() {
        for option in ClientChange.options.map(\.name) + NewClient.kinds.map(\.option) + ["--id"] {
            #expect(HelpTopic.clientAdd.text.contains("\n  \(option) "), "\(option)")
        }
        for option in ClientChange.options.map(\.name) + ["--name", "--third-party", "--no-introspect", "--no-rotate", "--clear"]
        {
            #expect(HelpTopic.clientUpdate.text.contains("\n  \(option) "), "\(option)")
        }
    }

    @Test(arguments: HelpTopic.allCases)
    func `every topic has a usage that begins with the command`(_ topic: HelpTopic) {
        #expect(topic.text.contains("\nUsage: \(topic.invocation)"))
        #expect(topic.text.hasSuffix("\n"))
    }

    @Test(arguments: HelpTopic.allCases)
    func `every topic is reached by its words`(_ topic: HelpTopic) throws {
        #expect(try Command(parsing: ["help"] + topic.words.map(String.init)) == .help(topic))
        #expect(try Command(parsing: topic.words.map(String.init) + ["--help"]) == .help(topic))
    }

    @Test(arguments: HelpTopic.allCases.filter(\.children.isEmpty))
    func `every topic without commands below it is a command`(_ topic: HelpTopic) {
        let words = topic.words.map(String.init)
        do throws(ArgumentsError) {
            _ = try Command(parsing: words)
        } catch {
            // It may lack arguments, but it is known.
            #expect(error.problem != .noCommand && error.topic == topic, "\(error)")
        }
    }
}
