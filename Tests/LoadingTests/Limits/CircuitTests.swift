import CurlewCore
import Testing

@testable import CurlewLoading

/// The breaker's state, without requests.
@Suite(.timeLimit(.minutes(10))) struct CircuitTests {
  private let rule = Circuit.Rule(failureLimit: 3, openFor: .seconds(30), probes: 2)
  private let now = ContinuousClock.now

  /// Sends one request through.
  private func send(
    _ circuit: inout Circuit, _ outcome: Circuit.Outcome, after elapsed: Duration = .zero
  ) -> Bool {
    guard case .pass(let period) = circuit.admit(at: now + elapsed, rule) else { return false }
    circuit.report(outcome, of: period, at: now + elapsed, rule)
    return true
  }

  /// Expects a refusal until the probes, which began at the instant, have had their time.
  private func expectRefusal(_ circuit: inout Circuit, at instant: ContinuousClock.Instant) {
    let admission = circuit.admit(at: instant, rule)
    #expect(admission == .refuse(until: instant + .seconds(30)))
  }

  private func opened() -> Circuit {
    var circuit = Circuit()
    for _ in 0..<3 { _ = send(&circuit, .failure) }
    return circuit
  }

  @Test func `failures in a row open it, and a success between them starts the count anew`() {
    var circuit = Circuit()
    for outcome: Circuit.Outcome in [.failure, .failure, .success, .failure, .unknown, .failure] {
      #expect(send(&circuit, outcome))
    }
    #expect(circuit.state(at: now) == .closed)
    #expect(send(&circuit, .failure))
    #expect(circuit.state(at: now) == .open)
    for elapsed: Duration in [.zero, .milliseconds(29_999)] {
      let admission = circuit.admit(at: now + elapsed, rule)
      #expect(admission == .refuse(until: now + .seconds(30)))
    }
  }

  @Test func `after its time so many probes pass, and their success closes it`() {
    var circuit = opened()
    let later = Duration.seconds(30)
    #expect(circuit.state(at: now + later) == .halfOpen)
    guard case .pass(let first) = circuit.admit(at: now + later, rule),
      case .pass(let second) = circuit.admit(at: now + later, rule)
    else {
      Issue.record("no probe passed")
      return
    }
    expectRefusal(&circuit, at: now + later)
    circuit.report(.success, of: first, at: now + later, rule)
    #expect(circuit.state(at: now + later) == .halfOpen)
    expectRefusal(&circuit, at: now + later)
    circuit.report(.success, of: second, at: now + later, rule)
    #expect(circuit.isPristine)
  }

  @Test func `a probe that fails opens it again for the whole time`() {
    var circuit = opened()
    #expect(send(&circuit, .failure, after: .seconds(40)))
    #expect(circuit.state(at: now + .seconds(69)) == .open)
    #expect(circuit.state(at: now + .seconds(70)) == .halfOpen)
  }

  @Test func `a probe of which nothing is known makes room for another`() {
    var circuit = opened()
    for _ in 0..<5 { #expect(send(&circuit, .unknown, after: .seconds(30))) }
    #expect(circuit.state(at: now + .seconds(30)) == .halfOpen)
  }

  @Test func `what comes late from an earlier period counts for nothing`() {
    var circuit = Circuit()
    guard case .pass(let early) = circuit.admit(at: now, rule) else { return }
    for _ in 0..<3 { _ = send(&circuit, .failure) }
    circuit.report(.success, of: early, at: now, rule)
    #expect(circuit.state(at: now) == .open)
    _ = send(&circuit, .success, after: .seconds(30))
    circuit.report(.failure, of: early, at: now + .seconds(30), rule)
    #expect(circuit.state(at: now + .seconds(30)) == .halfOpen)
    #expect(send(&circuit, .success, after: .seconds(30)))
    circuit.report(.failure, of: early, at: now + .seconds(30), rule)
    #expect(circuit.isPristine)
  }

  @Test func `no sequence of five events lets a request pass while it is open`() {
    let events: [(Circuit.Outcome, Duration)] = [
      (.success, .zero), (.failure, .zero), (.unknown, .zero), (.success, .seconds(31)), (.failure, .seconds(31)),
    ]
    for code in 0..<3_125 {
      var circuit = Circuit()
      var elapsed = Duration.zero
      var number = code
      for _ in 0..<5 {
        let (outcome, step) = events[number % 5]
        number /= 5
        elapsed += step
        let before = circuit.state(at: now + elapsed)
        #expect(send(&circuit, outcome, after: elapsed) == (before != .open))
      }
    }
  }
}
