public import CurlewCore
public import CurlewLoading
import FoundationEssentials
import HTTPTypes

/// Collects a body in memory, and resumes where the last attempt stopped.
///
/// It uses the same plan as files: bytes are combined only if the responses prove that they belong together. Operations and
/// session tasks use it when they are paused. Use one sink for one transfer.
public final class ResumableMemorySink: ResumableSink {
  private struct State {
    var data = Data()
    var validator: EntityValidator?
    var total: Int64?
    var asked: Int64?
    var wantsWhole = false
    var restarts = 0
    var url: DownloadURL?
    var source = ResumePoint.Source.sameURL

    var point: ResumePoint {
      ResumePoint(length: Int64(data.count), validator: validator, total: total, source: source)
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
    let (offset, validator) = state.withLock { state in
      let url = DownloadURL(request.url)
      state.source = state.url == nil || state.url == url ? .sameURL : .otherURL
      state.url = url
      state.asked = request.method == .get && !state.wantsWhole ? state.point.offset : nil
      return (state.asked, state.validator)
    }
    return try RangeRestart.prepared(request, from: offset, validator)
  }

  /// Decides how to use the response.
  ///
  /// - Throws: `NetworkError`; the collected bytes stay.
  public func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    let plan = try state.withLock { state in
      let plan = ResumePlan(state.point, asked: state.asked, head)
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
      guard max(plan.total ?? 0, plan.end ?? 0) <= Int64(limit) else { throw DownloadError.tooLarge(Int64(limit)) }
      state.data.removeSubrange(Int(base)...)
      if base == 0 { state.data.reserveCapacity(Int(min(plan.total ?? 0, Self.mostReserved))) }
      state.validator = plan.validator
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

    var wantsBody: Bool { plan.action != .complete }
    var total: Int64? { plan.total }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
      try sink.state.withLock { state in
        guard bytes.count <= sink.limit - state.data.count else { throw DownloadError.tooLarge(Int64(sink.limit)) }
        guard Int64(state.data.count + bytes.count) <= plan.end ?? .max else { throw PartialWriter.surplus }
        state.data.append(contentsOf: bytes)
      }
      return .more
    }

    func finish() async throws -> TransferContent {
      try sink.state.withLock { state in
        let length = Int64(state.data.count)
        if let end = plan.end, length < end { throw PartialSink.truncated(nil) }
        if head.status == .partialContent, length < plan.total ?? .max {
          throw PartialSink.truncated(DownloadError.Unfinished())
        }
        defer { state.data = Data() }
        return .data(state.data)
      }
    }
  }
}
