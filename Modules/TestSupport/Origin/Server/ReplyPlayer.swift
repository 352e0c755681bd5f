/// How far a reply has been played. A plain value.
///
/// The connection does what it says.
struct ReplyPlayer {
  /// What the next step waits for.
  enum Waiting {
    /// A timer, a gate or code of the test's.
    ///
    /// The number tells a late call from the right one.
    case call
    /// The same, while a peer that leaves is none of its business.
    case pause
    /// So many bytes of the upload in all, nil for all of it.
    case upload(Int64?)
    /// The peer to leave.
    case leaving
  }

  var steps: [OriginStep] = []
  var next = 0
  /// How far the current step is, in bytes or times.
  var progress: Int64 = 0
  /// How many bytes of the reply were written so far.
  var written: Int64 = 0
  var cut: (after: Int64, ending: OriginStep)?
  var endsConnection = false
  var skipsBody = false
  /// A step set another rate than the connection's own.
  var changedRate = false
  var waiting: Waiting?
  /// Changes with each wait.
  var generation = 0

  init(generation: Int = 0) { self.generation = generation }

  init(_ reply: OriginReply, method: String, generation: Int) {
    self.generation = generation
    steps = reply.steps
    cut = reply.cut
    endsConnection = reply.endsConnection
    skipsBody = method == "HEAD"
  }

  /// How many bytes may still be written before the cut.
  var room: Int64 { cut.map { max(0, $0.after - written) } ?? .max }

  /// The step under way, nil after the last or at the cut.
  var current: OriginStep? {
    if let cut, cut.after <= written { return cut.ending }
    return next < steps.count ? steps[next] : nil
  }

  mutating func finishStep() {
    next += 1
    progress = 0
  }

  /// Puts steps in the current one's place.
  mutating func replaceStep(with more: [OriginStep]) {
    guard next < steps.count else { return }
    // What was played already is dropped, so that a reply made of endless `perform`s stays small.
    steps = more + steps[(next + 1)...]
    next = 0
    progress = 0
  }
}
