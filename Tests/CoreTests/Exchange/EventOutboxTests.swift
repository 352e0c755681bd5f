import CurlewCore
import Testing

@Suite struct EventOutboxTests {
  private func outbox(_ observer: any EventObserver) -> EventOutbox {
    var settings = ExchangeSettings()
    settings.observers = [observer]
    return EventOutbox(Exchange(settings))
  }

  @Test func `no event follows the last one`() {
    let observer = NamesObserver()
    let outbox = outbox(observer)
    outbox.tell(.connected(reused: false))
    outbox.tell(.measured(ExchangeMetrics()), isLast: true)
    outbox.tell(.sent(bytes: 1, expected: nil))
    outbox.tell(.measured(ExchangeMetrics()), isLast: true)
    #expect(observer.names == ["connected", "measured"])
  }

  @Test func `events from many threads come one at a time, and the last is last`() async {
    let observer = NamesObserver()
    let outbox = outbox(observer)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask {
          if number == 500 {
            outbox.tell(.measured(ExchangeMetrics()), isLast: true)
          } else {
            outbox.tell(.sent(bytes: Int64(number), expected: nil))
          }
        }
      }
    }
    #expect(observer.names.last == "measured")
    #expect(observer.names.filter { $0 == "measured" }.count == 1)
  }

  @Test func `without observers nothing is created`() {
    let outbox = EventOutbox(Exchange())
    func kind() -> ExchangeEvent.Kind {
      Issue.record("The event was created.")
      return .connected(reused: false)
    }
    outbox.tell(kind())
  }

  @Test func `byte counts are due ten times per second, and news only when they grow`() {
    var reporter = ByteReporter()
    let start = ContinuousClock.now
    let due = [0, 50, 99, 100, 150, 200].map { reporter.isDue(at: start + .milliseconds($0)) }
    #expect(due == [true, false, false, true, false, true])
    let news = [0, 5, 5, 4, 6].map { reporter.isNews($0) }
    #expect(news == [true, true, false, false, true])
  }
}

/// Records the names of the events that these tests use.
private final class NamesObserver: EventObserver {
  private let seen = Guarded<[String]>([])

  var names: [String] { seen.withLock { $0 } }

  func observe(_ event: ExchangeEvent) {
    let name =
      switch event.kind {
      case .connected: "connected"
      case .sent: "sent"
      case .measured: "measured"
      default: "other"
      }
    seen.withLock { $0.append(name) }
  }
}
