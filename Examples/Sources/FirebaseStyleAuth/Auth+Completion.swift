/// The same calls for code that passes a closure. It is called on the main actor, with a result or an error.
extension Auth {
    public typealias Completion = @MainActor @Sendable ((any Error)?) -> Void
    public typealias ResultCompletion = @MainActor @Sendable (AuthDataResult?, (any Error)?) -> Void

    public func createUser(withEmail email: String, password: String, completion: @escaping ResultCompletion) {
        report(to: completion) { try await self.createUser(withEmail: email, password: password) }
    }

    public func signIn(withEmail email: String, password: String, completion: @escaping ResultCompletion) {
        report(to: completion) { try await self.signIn(withEmail: email, password: password) }
    }

    public func sendPasswordReset(withEmail email: String, completion: @escaping Completion) {
        reportError(to: completion) { try await self.sendPasswordReset(withEmail: email) }
    }

    public func signOut(completion: @escaping Completion) {
        reportError(to: completion) { try await self.signOut() }
    }

    private func report(
        to completion: @escaping ResultCompletion, _ call: @escaping @MainActor @Sendable () async throws -> AuthDataResult
    ) {
        Task {
            do {
                completion(try await call(), nil)
            } catch {
                completion(nil, error)
            }
        }
    }
}

extension User {
    public func sendEmailVerification(completion: @escaping Auth.Completion) {
        reportError(to: completion) { try await self.sendEmailVerification() }
    }

    public func reload(completion: @escaping Auth.Completion) {
        reportError(to: completion) { try await self.reload() }
    }

    public func delete(completion: @escaping Auth.Completion) {
        reportError(to: completion) { try await self.delete() }
    }
}

extension UserProfileChangeRequest {
    public func commitChanges(completion: @escaping Auth.Completion) {
        reportError(to: completion) { try await self.commitChanges() }
    }
}

@MainActor
private func reportError(to completion: @escaping Auth.Completion, _ call: @escaping @MainActor @Sendable () async throws -> Void)
{
    Task {
        do {
            try await call()
            completion(nil)
        } catch {
            completion(error)
        }
    }
}
