/// What is recorded of providers' notices.
extension AuditKind {
    /// A provider has told us of an event, and we have done what it asks for.
    package static func noticeTaken(_ event: ProviderEvent) -> AuditKind {
        AuditKind("provider_notice", reason: event.name)
    }

    package static func noticeRefused(_ refusal: NoticeRefusal) -> AuditKind {
        AuditKind("provider_notice_refused", reason: refusal.reason, outcome: .refused)
    }
}
