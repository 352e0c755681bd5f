public import CurlewCore
public import CurlewLoading
import FoundationEssentials
import HTTPTypes

/// Collects a body in memory, and resumes where the last attempt stopped.
///
/// It uses the same plan as files: bytes are combined only if the responses prove that they belong together. Operations and
/// session tasks use it when they are paused. Use one sink for one transfer.
public final class ResumableMemorySink: TransferSink {
  private struct State {
    var data = Data()
    /// The head that began the bytes.
    var head: ResponseHead?
    var total: Int64?
    var asked: Int64?
    var wantsWhole = false
    var restarts = 0

    /// The version of the bytes, which only another attempt needs.
    var validator: EntityValidator? { head.flatMap { EntityValidator($0) } }

    /// The point for a response from a URL; nil before the response.
    func point(_ url: URL? = nil) -> ResumePoint {
      let isSame = url == nil || head == nil || url == head?.url
      return ResumePoint(
        length: Int64(data.count), validator: validator,
        lastModified: head.flatMap { head in validator?.companion(in: head) }, total: total,
        source: isSame ? .sameURL : .otherURL)
    }
  }

  private static let mostRestarts = 4
  /// The most bytes that are reserved for an announced length.
  ///
  /// The announcement alone is not trusted with more.
  private static let mostReserved: Int64 = 1 << 20

  /// The most bytes that it accepts.
  public let limit: Int
  private let state = Guarded(State())

  /// Creates a sink.
  ///
  /// - Parameter limit: The most bytes, 0 or more; beyond that, the transfer fails with `bodyTooLarge`.
  public init(limit: Int) { self.limit = max(0, limit) }

  /// The number of bytes so far.
  public var count: Int { state.withLock { $0.data.count } }

  /// Returns `.collected`, because the sink never pauses by itself.
  ///
  /// The limit also bounds what a connection buffers while the transfer is paused.
  public var delivery: ResponseDelivery? { .collected }

  /// Returns the request for the missing bytes only, if that is safe.
  public func prepare(_ request: Request, _ attempt: AttemptContext) async throws -> Request {
    let rest = rest(of: request)
    return try request.askingForRest(from: rest?.offset, rest?.validator)
  }

  /// Returns where the missing bytes begin, and their version; nil if the request must ask for the whole content.
  ///
  /// Call it once for each attempt.
  func rest(of request: Request) -> (offset: Int64, validator: EntityValidator)? {
    state.withLock { state in
      state.asked = request.method == .get && !state.wantsWhole ? state.point().offset : nil
      guard let offset = state.asked, let validator = state.validator else { return nil }
      return (offset, validator)
    }
  }

  /// Decides how to use the response.
  ///
  /// - Throws: `NetworkError`; the collected bytes stay.
  public func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    try writer(for: head)
  }

  /// Decides how to use the response, like `open`.
  func writer(for head: ResponseHead) throws -> any TransferWriter {
    let plan = try state.withLock { state in
      let plan = ResumePlan(state.point(head.url), asked: state.asked, head, readsValidator: false)
      var base = Int64(state.data.count)
      switch plan.action {
      case .refuse(let refusal): throw DownloadError.refused(refusal, head)
      case .restart(let reason):
        state.wantsWhole = true
        state.restarts += 1
        let error = DownloadError.useless(reason, head)
        throw state.restarts <= Self.mostRestarts ? error : error.with { $0.underlying = nil }
      case .startAnew: base = 0
      case .truncate(let length): base = length
      case .append, .complete: break
      }
      guard max(plan.total ?? 0, plan.end ?? 0) <= Int64(limit) else {
        throw DownloadError.tooLarge(Int64(limit), "body")
      }
      if plan.action == .startAnew { state.head = head }
      state.data.removeSubrange(Int(base)...)
      state.total = plan.total
      state.wantsWhole = false
      return plan
    }
    return Writer(self, plan, head, offset: Int64(count))
  }

  private final class Writer: TransferWriter {
    let sink: ResumableMemorySink
    let plan: ResumePlan
    let head: ResponseHead
    let offset: Int64

    init(_ sink: ResumableMemorySink, _ plan: ResumePlan, _ head: ResponseHead, offset: Int64) {
      self.sink = sink
      self.plan = plan
      self.head = head
      self.offset = offset
    }

    /// The memory to reserve before the first byte.
    private var reserved: Int { Int(min(plan.total ?? 0, ResumableMemorySink.mostReserved)) }

    var wantsBody: Bool { plan.action != .complete }
    var total: Int64? { plan.total }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
      try sink.state.withLock { state in
        guard bytes.count <= sink.limit - state.data.count else {
          throw DownloadError.tooLarge(Int64(sink.limit), "body")
        }
        guard Int64(state.data.count + bytes.count) <= plan.end ?? .max else { throw PartialWriter.surplus }
        if state.data.isEmpty, reserved > bytes.count { state.data.reserveCapacity(reserved) }
        state.data.append(contentsOf: bytes)
      }
      return .more
    }

    func receive(chunk: Data) throws -> SinkDemand {
      // A body that came in one piece needs no other memory.
      let isKept = sink.state.withLock { state in
        guard state.data.isEmpty, Int64(chunk.count) == plan.end, chunk.count <= sink.limit else { return false }
        state.data = chunk
        return true
      }
      return isKept ? .more : try chunk.withUnsafeBytes { try receive($0) }
    }

    nonisolated(nonsending) func finish() async throws -> TransferContent {
      try sink.state.withLock { state in
        let length = Int64(state.data.count)
        if let end = plan.end, length < end { throw PartialSink.truncated(nil, "body") }
        let isPart = head.status == .partialContent
        if length < plan.total ?? (isPart ? .max : 0) {
          throw PartialSink.truncated(isPart ? DownloadError.Unfinished() : nil, "body")
        }
        defer { state.data = Data() }
        return .data(state.data)
      }
    }
  }
}
