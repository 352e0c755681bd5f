public import CurlewCore
public import CurlewHAR
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Answers requests from a recording, without a network: a HAR of `HARRecordingTransport`, of a browser or of a proxy.
///
/// Bodies arrive in their recorded pieces, with trailers and informational responses, and what failed fails again. A request must be the
/// same as one of the recording that was not answered yet; otherwise it fails with an error that names each difference.
///
/// ```swift
/// let transport = try ReplayTransport("Recordings/birds.har")
/// let session = try HTTPSession(transport, baseURL: "https://api.example.com/")
/// ```
/// In other modes it wraps the transport that records. It works below the interceptors, so for every client of a transport. Safe from any
/// isolation.
public final class ReplayTransport: Transport {
  /// What happens to a request.
  public enum Mode: Sendable, Hashable {
    /// It is answered from the recording, or fails.
    case replay
    /// It is answered from the recording, or sent and added to it.
    case recordMissing
    /// It is sent, and the recording is replaced.
    case record
  }

  /// How a recording is replayed.
  public struct Options: Sendable {
    /// The parts of a request that must be the same; all by default.
    public var matching = HARMatching.strict
    /// Whether heads and pieces arrive no earlier than they did; false by default, so that they arrive at once.
    public var keepsTimes = false
    /// What the recording lacks, and what `record` and `recordMissing` write.
    public var recording = HARRecordingTransport.Options()
    /// The simulated capabilities; those of a `StubTransport` by default. `record` and `recordMissing` have those of their transport.
    public var capabilities = StubTransport.defaultCapabilities

    /// Creates options with their defaults.
    public init() {}
  }

  /// Identifies the entry that answers a request.
  private enum AnswerKey: UserInfoKey { typealias Value = HAREntry }

  /// The capabilities.
  public let capabilities: TransportCapabilities
  private let options: Options
  private let mode: Mode
  private let stub: StubTransport
  private let recording: HARRecordingTransport?
  private let left: Mutex<Left>

  /// The entries that no request has had yet.
  private struct Left {
    /// Nil where an entry was taken.
    var entries: [HAREntry?]
    /// The places of those that are left, by what a request that matches has in common with them.
    var places: [String: [Int]] = [:]

    init(_ entries: [HAREntry], _ matching: HARMatching) {
      self.entries = entries
      for (place, entry) in entries.enumerated() {
        places[Self.key(entry.request, matching), default: []].append(place)
      }
    }

    /// Takes the first entry that a closure accepts.
    mutating func take(_ request: Request, _ matching: HARMatching, _ accepts: (HAREntry) -> Bool) -> HAREntry? {
      let key = Self.key(request, matching)
      guard let found = places[key]?.firstIndex(where: { entries[$0].map(accepts) ?? false }),
        let place = places[key]?.remove(at: found)
      else { return nil }
      defer { entries[place] = nil }
      return entries[place]
    }

    /// Returns the method and the URL up to what can have secrets, without user information.
    private static func key(_ request: Request, _ matching: HARMatching) -> String {
      guard matching.isSuperset(of: .requestLine) else { return "" }
      let text = request.url.absoluteString.utf8.prefix { !"?#;".utf8.contains($0) }
      let start = text.lastIndex(of: UInt8(ascii: "@")) ?? text.startIndex
      return request.method.rawValue + " " + String(decoding: text[start...], as: UTF8.self)
    }
  }

  /// Replays a recording.
  public convenience init(_ document: HARDocument, options: Options = Options()) {
    self.init(document, .replay, nil, options)
  }

  /// Replays or makes the recording in a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file. `record` replaces it; `recordMissing` creates it if it does not exist.
  ///   - mode: What happens to a request.
  ///   - transport: The transport that sends in the modes that record; it is not used by `replay`, and is shut down with this one.
  ///   - options: How the recording is replayed and made.
  /// - Throws: `HARError`, the error of the file, or `NetworkError` of kind `unsupported` if a mode that records has no transport.
  public convenience init(
    _ path: String, mode: Mode = .replay, over transport: (any Transport)? = nil, options: Options = Options()
  ) throws {
    guard mode != .replay else {
      self.init(try HARDocument(contentsOf: path), .replay, nil, options)
      return
    }
    guard let transport else {
      throw NetworkError(
        .unsupported, stage: .preparing,
        message: "The recording \(path) cannot be made without a transport.", advice: "Give one as `over`.")
    }
    let exists = try LocalFileSystem().status(path) != nil
    let document = mode == .recordMissing && exists ? try HARDocument(contentsOf: path) : nil
    let recording = try HARRecordingTransport(transport, to: path, continuing: document, options: options.recording)
    self.init(document, mode, recording, options)
  }

  private init(_ document: HARDocument?, _ mode: Mode, _ recording: HARRecordingTransport?, _ options: Options) {
    self.mode = mode
    self.options = options
    self.recording = recording
    capabilities = recording?.capabilities ?? options.capabilities
    // An answer of a cache was not sent, and a cancelled sending has no end of its own.
    left = Mutex(Left(document?.entries.filter { !$0.isCached && !$0.isCancelled } ?? [], options.matching))
    stub = StubTransport(capabilities: capabilities) { [keepsTimes = options.keepsTimes] asked in
      guard let entry = asked.exchange[AnswerKey.self] else {
        throw NetworkError(.internal, stage: .preparing, message: "The request has no recorded answer.")
      }
      return try await entry.answer(keepsTimes: keepsTimes, clock: asked.exchange.settings.clock)
    }
  }

  /// The entries of the recording that no request has had yet, in order.
  public var unused: [HAREntry] { left.withLock { $0.entries.compactMap { $0 } } }

  /// Answers from the recording, or sends, as the mode says.
  ///
  /// - Throws: `NetworkError` of kind `notRecorded` if no entry is left that matches, and whatever the recording says.
  public func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    if mode == .record, let recording { return try await recording.send(request, in: exchange) }
    try Task.checkCancellation()
    _ = try RequestCheck.origin(of: request)
    try RequestCheck.validate(request, in: exchange, for: capabilities)
    // A stream is read once, so that it can be compared and then sent.
    var request = request
    let content = try await UploadedContent.collect(request.body)
    let isStream = if case .stream = request.body.source { true } else { false }
    let entry = claim(request, content)
    if isStream { request.body = .replayed(content, length: request.body.length) }
    if let entry { return try await stub.send(request, in: answering(exchange, entry)) }
    guard let recording else { throw notRecorded(request, content) }
    return try await recording.send(request, in: exchange)
  }

  /// Ends the requests in flight with `transportShutDown`.
  public func shutdown() async {
    await stub.shutdown()
    await recording?.shutdown()
  }

  private func answering(_ exchange: Exchange, _ entry: HAREntry) -> Exchange {
    exchange.derived(freshConnection: exchange.requiresFreshConnection) { $0.userInfo[AnswerKey.self] = entry }
  }

  /// Takes the first entry that matches.
  private func claim(_ request: Request, _ content: Data) -> HAREntry? {
    left.withLock { left in
      left.take(request, options.matching) { differences($0, request, content).isEmpty }
    }
  }

  private func differences(_ entry: HAREntry, _ request: Request, _ content: Data) -> [String] {
    entry.differences(
      from: request, content: content, matching: options.matching, redaction: options.recording.redaction)
  }

  private func notRecorded(_ request: Request, _ content: Data) -> NetworkError {
    let all = unused.map { ($0, differences($0, request, content)) }
    let nearest = all.min { $0.1.count < $1.1.count }
    let reason =
      nearest.map { "the nearest, \($0.request), differs: \($1.joined(separator: "; "))" }
      ?? "all of its requests were answered"
    return NetworkError(
      .notRecorded, stage: .preparing,
      message: "The recording has no answer left for this request: \(reason).",
      advice: "Record it again if the request is right."
    ).with { $0.request = request }
  }
}

extension NetworkError.Kind {
  /// A recording that is replayed has no answer for the request.
  public static let notRecorded = NetworkError.Kind(rawValue: "not-recorded")
}
