import JOSE
import Logging
import Networking

extension KeySetKeeper {
    /// Fetches a set and makes known what came of it.
    func fetch(_ provider: ProviderID) async {
        guard let begun = entries[provider] else { return }
        let outcome: Result<FetchedKeySet, KeySetFetchFailure>
        do throws(KeySetFetchFailure) {
            outcome = .success(try await FetchedKeySet.fetch(begun.url, with: client))
        } catch {
            outcome = .failure(error)
        }
        // Meanwhile the set may have moved.
        guard entries[provider]?.edition == begun.edition else { return }
        switch outcome {
        case .success(let fetched):
            take(fetched, of: provider)
            await makeKnown(provider)
            await store?.save(fetched, of: provider, from: begun.url)
        case .failure(let failure):
            note(failure, of: provider)
            await makeKnown(provider)
            await recall(provider, begun.edition)
        }
    }

    /// Takes what was last fetched by another process, while there is nothing else. What PostgreSQL cannot give now is asked for again after the next failure.
    func recall(_ provider: ProviderID, _ edition: UInt64) async {
        guard let store, let entry = entries[provider], !entry.schedule.isUsable(at: loop.now),
            let remembered = await store.keys(of: provider, from: entry.url)
        else { return }
        guard var entry = entries[provider], entry.edition == edition, !entry.schedule.isUsable(at: loop.now) else { return }
        entry.schedule.remember(fetched: remembered.age, ago: remembered.lifetime, at: loop.now)
        guard entry.schedule.isUsable(at: loop.now) else { return }
        entry.keys = remembered.keys
        entries[provider] = entry
        logger.info(
            "key set remembered", ["provider": .string(provider.text), "age": .integer(Int(remembered.age.components.seconds))])
        await makeKnown(provider)
    }

    /// Lets go on who waits, and tells the loops.
    private func makeKnown(_ provider: ProviderID) async {
        entries[provider]?.version += 1
        endWaiting(provider)
        guard let entry = entries[provider] else { return }
        let cached = cached(entry)
        for part in parts { await part.take(cached, of: provider) }
    }

    /// The whole set takes the place of the old one: a key that is no longer in it has been withdrawn.
    private func take(_ fetched: FetchedKeySet, of provider: ProviderID) {
        guard var entry = entries[provider] else { return }
        let (before, failures) = (entry.keys, entry.schedule.failures)
        entry.keys = fetched.keys
        entry.schedule.succeeded(freshness: fetched.freshness, at: loop.now, chance: chance()) { keyID in
            fetched.keys.key(withID: keyID) != nil
        }
        entry.report.fetches[.succeeded, default: 0] += 1
        entries[provider] = entry
        if before.rendered != fetched.keys.rendered {
            let names = fetched.keys.keys.compactMap(\.keyID).joined(separator: " ")
            logger.info(
                "key set changed",
                [
                    "provider": .string(provider.text), "keys": .integer(fetched.keys.keys.count),
                    "skipped": .integer(fetched.keys.skipped.count), "key_ids": .string(names),
                ])
        } else if failures > 0 {
            logger.info("key set fetched again", ["provider": .string(provider.text), "failures": .integer(failures)])
        }
    }

    /// The first failure is told, and the one after which there are no keys left to use.
    private func note(_ failure: KeySetFetchFailure, of provider: ProviderID) {
        guard var entry = entries[provider] else { return }
        let wasFailing = entry.schedule.failures > 0
        entry.schedule.failed(at: loop.now, chance: chance())
        entry.report.fetches[KeySetFetchOutcome(failure), default: 0] += 1
        let isUsable = entry.schedule.isUsable(at: loop.now)
        let hadKeys = !entry.keys.keys.isEmpty
        if !isUsable { entry.keys = JWKSet([]) }
        entries[provider] = entry
        let fields: LogFields = ["provider": .string(provider.text), "error": "\(failure)"]
        if !isUsable, hadKeys {
            logger.error("key set too old to be used", fields)
        } else if !wasFailing {
            logger.warning(isUsable ? "key set not fetched; the old keys are used" : "key set not fetched", fields)
        }
    }

    /// 0 … 1.
    private func chance() -> Double {
        Double(random(2).reduce(0) { $0 << 8 | Int($1) }) / 65_535
    }
}
