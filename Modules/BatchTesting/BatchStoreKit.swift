public import CurlewBatch
public import CurlewTestSupport

/// The tools of a rule: an empty store, and a way to advance its clock.
public struct BatchStoreKit: Sendable {
  /// An empty store with the default rules.
  public let store: any BatchStore
  let passing: @Sendable (Duration) async throws -> Void

  /// Lets time pass on the store's clock.
  public func pass(_ duration: Duration) async throws { try await passing(duration) }

  /// Throws unless a condition is true.
  public func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(ConformanceFailure) {
    guard condition else { throw ConformanceFailure(sentence()) }
  }

  /// Throws unless two values are equal.
  public func expectEqual<Value: Equatable>(
    _ found: Value, _ wanted: Value, _ what: @autoclosure () -> String
  ) throws(ConformanceFailure) {
    guard found != wanted else { return }
    throw ConformanceFailure("\(what()): \(found) instead of \(wanted)")
  }

  /// Throws unless a closure throws a `BatchError` of the given kind.
  ///
  /// - Returns: The error.
  @discardableResult
  public func expectError(
    _ kind: BatchError.Kind, _ what: String, _ body: () async throws -> Void
  ) async throws -> BatchError {
    do {
      try await body()
    } catch let error as BatchError {
      guard error.kind == kind else {
        throw ConformanceFailure("\(what) ended in \(error.kind.rawValue) instead of \(kind.rawValue): \(error)")
      }
      return error
    } catch {
      throw ConformanceFailure("\(what) ended in \(error) instead of \(kind.rawValue)")
    }
    throw ConformanceFailure("\(what) succeeded instead of ending in \(kind.rawValue)")
  }
}
