import HTTP
import Identity
import Routing

extension Operations {
    /// `GET /metrics` in Prometheus' text format, version 0.0.4. Label values are routes, statuses and outcomes: never anything that a
    /// client sent.
    enum PrometheusText {
        static func render(_ report: MetricsReport) -> [UInt8] {
            var text = Text()
            requests(report.requests, &text)
            text.counters(
                "kidoban_forwarded_refused_total", "What was said about a client's address and not believed, by reason.",
                by: "reason", report.forwardedRefusals)
            identity(report.identity, &text)
            keySets(report.keySets, &text)
            redis(report.redisProblems, &text)
            if let ahead = report.redisClockAhead {
                text.single(
                    "kidoban_clock_skew_seconds", "gauge",
                    "How far the clock of Redis, which dates tokens, is ahead of this copy's.",
                    Double(ahead.components.seconds) + Double(ahead.components.attoseconds / 1_000_000_000_000_000) / 1000)
            }
            process(report, &text)
            return text.bytes
        }

        private static func requests(_ series: [RequestMetrics.Series], _ text: inout Text) {
            text.family("kidoban_http_requests_total", "counter", "Answers by route and status.")
            for one in series { text.sample("kidoban_http_requests_total", labels(one), Double(one.count)) }
            let name = "kidoban_http_request_duration_seconds"
            text.family(name, "histogram", "Time from the end of the request's head to its answer.")
            for one in series {
                var total: UInt64 = 0
                for (bound, count) in zip(RequestMetrics.buckets, one.histogram) {
                    total += count
                    text.sample(name + "_bucket", labels(one) + [("le", "\(bound)")], Double(total))
                }
                text.sample(name + "_bucket", labels(one) + [("le", "+Inf")], Double(one.count))
                text.sample(name + "_sum", labels(one), one.seconds)
                text.sample(name + "_count", labels(one), Double(one.count))
            }
        }

        private static func labels(_ series: RequestMetrics.Series) -> [(String, String)] {
            [("method", series.route.method), ("route", series.route.pattern), ("status", "\(series.status)")]
        }

        private static func identity(_ counters: IdentityMetrics.Snapshot, _ text: inout Text) {
            text.counters("kidoban_introspections_total", "Introspections by result.", by: "result", counters.introspections)
            text.single(
                "kidoban_hot_token_hits_total", "counter", "Questions about access tokens answered from memory.",
                Double(counters.hotTokenHits))
            text.single("kidoban_hot_token_bytes", "gauge", "Memory held for that.", Double(counters.hotTokenBytes))
            text.counters("kidoban_refreshes_total", "Refreshes by outcome.", counters.refreshes)
            text.counters("kidoban_sign_ins_total", "Sign-ins by password, by outcome.", counters.signIns)
            idTokens(counters.idTokens, &text)
            text.counters(
                "kidoban_provider_sign_ins_total", "Sign-ins with a provider's proof that holds, by outcome.",
                counters.providerSignIns)
            text.counters(
                "kidoban_identity_changes_total", "Identities that users link and unlink, by outcome.", counters.identityChanges)
            text.single("kidoban_sign_ups_total", "counter", "Users signed up.", Double(counters.signUps))
            limited(counters.limited, &text)
            text.counters(
                "kidoban_client_refusals_total", "Requests of clients that had not proved themselves, by reason.", by: "reason",
                counters.clientRefusals)
            providerTokens(counters.providerTokens, &text)
            jobs(counters.jobs, isMailServerUp: counters.isMailServerUp, &text)
            text.single(
                "kidoban_audit_events_dropped_total", "counter", "Audit events lost because PostgreSQL was away too long.",
                Double(counters.auditEventsDropped))
            text.single(
                "kidoban_audit_upkeep_failing", "gauge",
                "Whether the months of the audit events could not be kept at the last try.",
                counters.auditUpkeepFails ? 1 : 0)
            text.single(
                "kidoban_sprays_total", "counter", "Addresses that failed to sign in to many accounts within ten minutes.",
                Double(counters.sprays))
        }

        /// Of configured providers only, in the order of their names.
        private static func idTokens(_ counts: [IdentityMetrics.ProviderOutcome: UInt64], _ text: inout Text) {
            let name = "kidoban_id_tokens_total"
            text.family(name, "counter", "Id tokens of other identity providers, by provider and outcome.")
            let sorted = counts.sorted {
                ($0.key.provider.text, $0.key.outcome.rawValue) < ($1.key.provider.text, $1.key.outcome.rawValue)
            }
            for (key, count) in sorted {
                text.sample(name, [("provider", key.provider.text), ("outcome", key.outcome.rawValue)], Double(count))
            }
        }

        private static func limited(_ counts: [LimitBucket: UInt64], _ text: inout Text) {
            let name = "kidoban_limited_total"
            text.family(name, "counter", "Attempts refused because a budget was used up, by purpose and kind.")
            for bucket in LimitBucket.allCases {
                text.sample(
                    name, [("purpose", bucket.purpose.rawValue), ("kind", bucket.kind.rawValue)], Double(counts[bucket] ?? 0))
            }
        }

        private static func keySets(_ reports: [KeySetReport], _ text: inout Text) {
            text.family(
                "kidoban_key_set_fetches_total", "counter", "Fetches of identity providers' keys, by provider and outcome.")
            for report in reports {
                for outcome in KeySetFetchOutcome.allCases {
                    text.sample(
                        "kidoban_key_set_fetches_total", [("provider", report.provider.text), ("outcome", outcome.rawValue)],
                        Double(report.fetches[outcome] ?? 0))
                }
            }
            text.family("kidoban_key_set_keys", "gauge", "Keys of identity providers that can be used.")
            for report in reports {
                text.sample("kidoban_key_set_keys", [("provider", report.provider.text)], Double(report.keyCount))
            }
            text.family(
                "kidoban_key_set_age_seconds", "gauge", "Time since identity providers' keys were fetched; none before that.")
            for report in reports {
                guard let age = report.age else { continue }
                text.sample(
                    "kidoban_key_set_age_seconds", [("provider", report.provider.text)],
                    Double(age.components.seconds) + Double(age.components.attoseconds / 1_000_000_000_000_000) / 1000)
            }
        }

        private static func redis(_ problems: [String: Bool], _ text: inout Text) {
            let name = "kidoban_redis_may_forget"
            text.family(
                name, "gauge", "Whether Redis is set up so that it may lose what it has to keep, by check of kidoban doctor.")
            for (check, isProblem) in problems.sorted(by: { $0.key < $1.key }) {
                text.sample(name, [("check", check)], isProblem ? 1 : 0)
            }
        }

        private static func providerTokens(_ counters: ProviderTokenCounters, _ text: inout Text) {
            text.counters(
                "kidoban_code_exchanges_total", "Authorization codes of sign-ins, by what became of them.", counters.exchanges)
        }

        private static func jobs(_ counters: JobCounters, isMailServerUp: Bool?, _ text: inout Text) {
            let total = "kidoban_jobs_total"
            text.family(
                total, "counter", "Jobs behind requests by kind, what they are about, and outcome; failed: an attempt only.")
            for kind in JobKind.allCases {
                for topic in kind.topics + ["other"] {
                    for outcome in JobCounters.Outcome.allCases {
                        let count = counters.outcomes[JobCounters.Key(kind: kind, topic: topic, outcome: outcome)] ?? 0
                        if topic == "other", count == 0 { continue }
                        text.sample(
                            total, [("kind", kind.rawValue), ("topic", topic), ("outcome", outcome.rawValue)], Double(count))
                    }
                }
            }
            let gauges: [(name: String, help: String, value: (JobCounters.Count) -> Int)] = [
                ("kidoban_jobs_waiting", "Jobs that wait, by kind, over all copies.", { $0.waiting }),
                (
                    "kidoban_jobs_oldest_waiting_seconds",
                    "Age of the oldest job that waits, by kind, over all copies; 0 for none.",
                    { Int($0.oldestAge.components.seconds) }
                ),
                (
                    "kidoban_jobs_given_up", "Jobs that were given up and are still stored, by kind, over all copies.",
                    { $0.givenUp }
                ),
            ]
            for gauge in gauges {
                text.family(gauge.name, "gauge", gauge.help)
                for kind in JobKind.allCases {
                    text.sample(
                        gauge.name, [("kind", kind.rawValue)], Double(gauge.value(counters.counts[kind] ?? JobCounters.Count())))
                }
            }
            guard let isMailServerUp else { return }
            text.single("kidoban_mail_server_up", "gauge", "Whether the mail server takes mail from us.", isMailServerUp ? 1 : 0)
        }

        private static func process(_ report: MetricsReport, _ text: inout Text) {
            text.single(
                "kidoban_configuration_rejected", "gauge", "Whether the configuration of the last SIGHUP was refused.",
                report.isConfigurationRejected ? 1 : 0)
            text.single(
                "kidoban_audit_events_lost_at_stop", "gauge",
                "Audit events that copies could not write before they ended, of the last day, over all copies.",
                Double(report.auditEventsLostAtStop))
            text.single("kidoban_connections", "gauge", "Connections that stand.", Double(report.connections))
            text.single(
                "kidoban_connection_bytes", "gauge", "Memory held for requests that are not whole and answers that are not read.",
                Double(report.connectionBytes))
            text.counters(
                "kidoban_connections_closed_total", "Connections that were closed upon clients which take too much, by reason.",
                by: "reason", report.connectionLosses)
            text.single(
                "kidoban_hashes_waiting", "gauge", "Password hashes that wait for a thread.", Double(report.hashesWaiting))
            text.single("kidoban_log_lines_dropped_total", "counter", "Log lines lost.", Double(report.logLinesDropped))
            text.single("process_resident_memory_bytes", "gauge", "Resident memory.", Double(report.residentBytes))
            text.single("process_open_fds", "gauge", "Open file descriptors.", Double(report.openDescriptors))
            text.single("process_cpu_seconds_total", "counter", "User and system time.", report.cpuSeconds)
            text.single("process_start_time_seconds", "gauge", "Start of the process.", report.startedAtSeconds)
            text.family("kidoban_build_info", "gauge", "The version that runs.")
            text.sample("kidoban_build_info", [("version", report.version), ("swift", report.swiftVersion)], 1)
        }

        private struct Text {
            var bytes: [UInt8] = []

            mutating func family(_ name: String, _ type: String, _ help: String) {
                line("# HELP \(name) \(help)")
                line("# TYPE \(name) \(type)")
            }

            mutating func sample(_ name: String, _ labels: [(String, String)], _ value: Double) {
                let rendered = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
                line("\(name)\(labels.isEmpty ? "" : "{\(rendered)}") \(Self.number(value))")
            }

            mutating func single(_ name: String, _ type: String, _ help: String, _ value: Double) {
                family(name, type, help)
                sample(name, [], value)
            }

            /// A counter for each thing that can happen, whether it has happened or not.
            mutating func counters<Outcome: CaseIterable & Hashable & RawRepresentable<String>>(
                _ name: String, _ help: String, by label: String = "outcome", _ counts: [Outcome: UInt64]
            ) {
                family(name, "counter", help)
                for outcome in Outcome.allCases { sample(name, [(label, outcome.rawValue)], Double(counts[outcome] ?? 0)) }
            }

            private mutating func line(_ text: String) {
                bytes.append(contentsOf: text.utf8)
                bytes.append(UInt8(ascii: "\n"))
            }

            /// Whole numbers without a fraction.
            private static func number(_ value: Double) -> String {
                Int64(exactly: value).map { String($0) } ?? value.description
            }
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Counters of the process", responses: [.text(.ok, "Prometheus' text format, version 0.0.4.")])
        }
    }
}
