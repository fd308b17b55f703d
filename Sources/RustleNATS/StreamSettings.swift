#if NATS
extension NATSConnection {
  /// What a stream keeps, and how often.
  struct StreamSettings: Hashable {
    /// Of several, with commas between them.
    var subject: String
    /// -1: all.
    var messagesPerSubject: Int
    /// Zero: for ever.
    var age: Duration
    var replicas: Int

    /// How another stream's differ; nil: they do not.
    func difference(from other: Self) -> String? {
      func time(_ age: Duration) -> String {
        let whole = age.components.seconds
        let seconds = age == .seconds(whole) ? "\(whole)" : "\(age / .seconds(1))"
        return age == .zero ? "for ever" : "for \(seconds) s"
      }
      func count(_ number: Int) -> String { number < 0 ? "all messages" : "\(number) messages" }
      func servers(_ number: Int) -> String { number == 1 ? "one server" : "\(number) servers" }
      let rows = [
        (subject == other.subject, "has the subject \(other.subject), not \(subject)"),
        (age == other.age, "keeps them \(time(other.age)), not \(time(age))"),
        (
          messagesPerSubject == other.messagesPerSubject,
          "keeps \(count(other.messagesPerSubject)) of a symbol, not \(count(messagesPerSubject))"
        ),
        (replicas == other.replicas, "stores on \(servers(other.replicas)), not \(servers(replicas))"),
      ]
      let differences = rows.filter { !$0.0 }.map(\.1)
      return differences.isEmpty ? nil : "it exists, and " + differences.joined(separator: "; ")
    }
  }
}
#endif
