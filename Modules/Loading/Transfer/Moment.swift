/// A point in time with a layout that is known at compile time.
///
/// `ContinuousClock.Instant` comes from a library that may still change its layout. A struct that stores one is therefore laid
/// out at run time, and each copy of the struct and each access to its fields costs calls. A `Duration` has no such cost.
struct Moment: Sendable {
  /// Any fixed point of the clock.
  private static let origin = ContinuousClock.now

  private let sinceOrigin: Duration

  init(_ instant: ContinuousClock.Instant) { sinceOrigin = Self.origin.duration(to: instant) }

  /// The same point in time.
  var instant: ContinuousClock.Instant { Self.origin.advanced(by: sinceOrigin) }

  func duration(to other: Moment) -> Duration { other.sinceOrigin - sinceOrigin }
}
