extension TokenAPI {
    /// How exactly the token resource takes the time.
    enum Times {
        /// How much longer an access token lives than its `expires_at` says: the device's clock may run behind (§3).
        static let leeway = Duration.seconds(60)
        /// How long ago an access token may have expired that still signs out (§4).
        static let lateness = Duration.seconds(86_400)
    }
}
