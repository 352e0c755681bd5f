import CurlewCore
import CurlewSerialization

/// Distinguishes errors of a serializer from those of the transport.
struct SerializationNotes: Sendable {
  let note: @Sendable ((any Error)?) -> Void

  init(_ note: @escaping @Sendable ((any Error)?) -> Void) { self.note = note }

  /// Runs work of the serializer and records its error.
  func run<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch {
      note(error)
      throw error
    }
  }

  /// Checks the head of an attempt, and forgets the error of an earlier one.
  ///
  /// - Parameter isRest: Whether the response contains the rest of a body, which is not checked.
  func check(_ head: ResponseHead, _ validation: ResponseValidation, isRest: Bool) throws {
    note(nil)
    guard !isRest else { return }
    try run { if let refusal = validation.check(head) { throw refusal } }
  }
}
