import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// The reactions to a server's frames that RFC 9113 demands of a client.
///
/// They are the 57 situations of h2spec's tests of clients, and are judged as there.
@Suite(.timeLimit(.minutes(10)), .enabled(if: CurlTransport.offersHTTP2, "this libcurl is not reliable over HTTP/2"))
struct FrameRuleTests {
  private static let curl = "/usr/bin/curl"

  private struct Seen {
    var outcome: Result<Int, any Error>
    /// The outcome of another request; nil if none was sent.
    var next: Result<Int, any Error>?
    /// What the client sent on the first connection.
    var events: [FrameOrigin.Event]
  }

  /// Sends a request to a server that answers with the frames of a rule.
  ///
  /// - Parameter isUsedAgain: Whether another request follows.
  private func run(_ rule: FrameRule, _ identity: TestIdentity, isUsedAgain: Bool) async throws -> Seen {
    let origin = try FrameOrigin.start(identity) { request in
      request.number == 1 ? rule.steps(request.stream) : [.head(204, ends: true)]
    }
    let transport = try CurlTransport.speaking(.http2)
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator()
    let exchange = Exchange(settings)
    let get: () async -> Result<Int, any Error> = {
      var request = Request(.get, origin.url)
      request.options.timeouts.idle = .seconds(20)
      do {
        return .success(try await Loader(transport).data(for: request, upTo: 100_000, in: exchange).1.status.code)
      } catch {
        return .failure(error)
      }
    }
    let outcome = await get()
    let next = isUsedAgain ? await get() : nil
    await transport.shutdown()
    try await origin.ended(1)
    let events = origin.events(of: 1)
    origin.stop()
    return Seen(outcome: outcome, next: next, events: events)
  }

  /// Sends the same request with the `curl` command, which uses the same library.
  private func runCurl(_ rule: FrameRule, _ identity: TestIdentity) async throws -> [FrameOrigin.Event] {
    let origin = try FrameOrigin.start(identity) { rule.steps($0.stream) }
    _ = try await PeerProgram.output(
      ["-sk", "--http2", "--max-time", "20", "-o", "/dev/null", origin.url.absoluteString], of: Self.curl)
    try await origin.ended(1)
    defer { origin.stop() }
    return origin.events(of: 1)
  }

  /// Whether the client reacted as the rule demands.
  private func obeys(_ reaction: FrameRule.Reaction, _ events: [FrameOrigin.Event]) -> Bool {
    let ended = events.last == .end
    /// Returns the error codes in all frames of a kind.
    func codes(_ kind: UInt8, at offset: Int) -> [FrameError] {
      events.compactMap { event in
        guard case .frame(kind, _, _, let payload) = event, payload.count >= offset + 4 else { return nil }
        return FrameError(rawValue: payload[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) })
      }
    }
    let (resets, goAways) = (codes(3, at: 0), codes(7, at: 4))
    switch reaction {
    case .request: return events.contains { if case .frame(1, _, _, _) = $0 { true } else { false } }
    case .pong(let bytes):
      // Only the PING is acknowledged, and no acknowledgement.
      let pongs = events.filter { if case .frame(6, 1, _, _) = $0 { true } else { false } }
      return pongs == [.frame(kind: 6, flags: 1, stream: 0, bytes)]
    // The server's first SETTINGS, and the rule's.
    case .settingsAcknowledged: return events.count { $0 == .frame(kind: 4, flags: 1, stream: 0, []) } == 2
    case .connectionError(let wanted): return ended || goAways.contains(where: wanted.contains)
    case .streamError(let wanted): return ended || (goAways + resets).contains(where: wanted.contains)
    case .goAway(let wanted): return goAways.contains(wanted)
    case .reset(let wanted): return resets.contains(wanted)
    case .end: return ended
    }
  }

  @Test func `the client reacts to each frame as RFC 9113 demands`() async throws {
    let identity = try TestIdentity.selfSigned()
    #expect(FrameRule.all.count == 57)
    var missed: [String] = []
    var alone: Set<String> = []
    let hasCurl = PeerProgram.isAvailable(Self.curl)
    for rule in FrameRule.all {
      if hasCurl, obeys(rule.reaction, try await runCurl(rule, identity)) {
        alone.insert("\(rule.section) \(rule.name)")
      }
      let seen = try await run(rule, identity, isUsedAgain: false)
      let place = "\(rule.section) \(rule.name)"
      if !obeys(rule.reaction, seen.events) { missed.append("\(place): \(seen.events)") }
      switch seen.outcome {
      case .success(let status): #expect(rule.succeeds != false && status == 200, "\(place)")
      case .failure(let error):
        #expect(rule.succeeds != true, "\(place): \(error)")
        let error = error as? NetworkError
        #expect(error?.isTimeout == false && error?.kind != .internal, "\(place): \(String(describing: error))")
      }
    }
    let obeyed = FrameRule.all.count - missed.count
    let peer = hasCurl ? ", the curl command \(alone.count)" : ""
    print(
      "figure: \(obeyed) of \(FrameRule.all.count) reactions of RFC 9113 on libcurl \(CurlTransport.libraryVersion)\(peer)"
    )
    #expect(obeyed >= alone.count, "only curl: \(alone.filter { name in missed.contains { $0.hasPrefix(name) } })")
    // libcurl reads a connection on which nothing runs only when it is used next, so a PING behind the last stream can wait.
    #expect(obeyed >= 53, "missed: \(missed.joined(separator: "; "))")
  }

  @Test func `after each frame the next request gets its own answer, or learns of the violation`() async throws {
    let identity = try TestIdentity.selfSigned()
    for rule in FrameRule.all {
      let seen = try await run(rule, identity, isUsedAgain: true)
      switch seen.next {
      case .success(let status): #expect(status == 204, "\(rule.section) \(rule.name)")
      // libcurl reads an idle connection only when it is used next, and finds then what came behind the first answer.
      case .failure(let error):
        #expect((error as? NetworkError)?.kind == .protocolViolation, "\(rule.section) \(rule.name): \(error)")
      case nil: Issue.record("no other request was sent")
      }
    }
  }
}
