/// The progress of a reply, as a value.
///
/// The connection carries out its steps.
struct ReplyPlayer {
  /// What the next step waits for.
  enum Waiting {
    /// A timer, a gate or code of the test.
    ///
    /// The generation distinguishes a late call from the expected one.
    case call
    /// This many bytes of the upload in total; nil for all of it.
    case upload(Int64?)
    /// The peer's departure.
    case leaving
  }

  var steps: [OriginStep] = []
  var next = 0
  /// The progress of the current step, in bytes or times.
  var progress: Int64 = 0
  /// The number of bytes of the reply so far.
  var written: Int64 = 0
  var cut: (after: Int64, ending: OriginStep)?
  var endsConnection = false
  var skipsBody = false
  /// Whether a step has changed the connection's rate.
  var changedRate = false
  var waiting: Waiting?
  /// The number of the current wait.
  var generation = 0

  init(generation: Int = 0) { self.generation = generation }

  init(_ reply: OriginReply, method: String, generation: Int) {
    self.generation = generation
    steps = reply.steps
    cut = reply.cut
    endsConnection = reply.endsConnection
    skipsBody = method == "HEAD"
  }

  /// The number of bytes that may still be written before the cut.
  var room: Int64 { cut.map { max(0, $0.after - written) } ?? .max }

  /// The current step; nil after the last one.
  var current: OriginStep? {
    if let cut, cut.after <= written { return cut.ending }
    return next < steps.count ? steps[next] : nil
  }

  mutating func finishStep() {
    next += 1
    progress = 0
  }

  /// Replaces the current step.
  mutating func replaceStep(with more: [OriginStep]) {
    guard next < steps.count else { return }
    // Drop the finished steps, so that a reply with endless `perform`s stays small.
    steps = more + steps[(next + 1)...]
    next = 0
    progress = 0
  }
}
