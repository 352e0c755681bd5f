#if Postgres
import Synchronization

/// Carries out calls of one kind, such as storing results, with one statement for all that wait.
///
/// Each call has its turn in the queue. The first one takes the others along, and these find their answers when their turns come. So
/// each call is still settled, repeated and cancelled by itself.
final class CallGroup<Input: Sendable, Output: Sendable>: Sendable {
  /// One call.
  final class Member: Sendable {
    fileprivate struct State {
      var answer: Output?
      /// The connection over which the answer came; its loss can lose what the call has changed.
      var connection: Int?
      var wasSent = false
      /// Whether the call goes without others, because one that went with others failed.
      var isAlone = false
    }

    let input: Input
    fileprivate let state = Mutex(State())

    fileprivate init(_ input: Input) { self.input = input }

    /// Whether it was carried out.
    var hasAnswer: Bool { state.withLock { $0.answer != nil } }
  }

  /// The most calls of one statement.
  private static var most: Int { 64 }

  private let waiting = Mutex<[Member]>([])
  private let fits: @Sendable (Input, [Input]) -> Bool
  private let carryOut:
    @Sendable ([(input: Input, isRepeated: Bool)], StoreConnection) throws(PostgresError) -> [Output]

  /// - Parameters:
  ///   - fits: Whether a call can go with others.
  ///   - carryOut: Carries out calls; `isRepeated` says that an earlier attempt may have been carried out.
  init(
    fits: @escaping @Sendable (Input, [Input]) -> Bool,
    _ carryOut:
      @escaping @Sendable ([(input: Input, isRepeated: Bool)], StoreConnection) throws(PostgresError) ->
      [Output]
  ) {
    self.fits = fits
    self.carryOut = carryOut
  }

  /// Adds a call, which waits for its turn.
  func add(_ input: Input) -> Member {
    let member = Member(input)
    waiting.withLock { $0.append(member) }
    return member
  }

  /// Removes a call that nobody waits for any more, so that no other one takes it along.
  func remove(_ member: Member) { waiting.withLock { $0.removeAll { $0 === member } } }

  /// Returns the answer to a call, whose turn it is: it is carried out now, or went with an earlier one.
  func answer(to member: Member, over connection: StoreConnection) throws(PostgresError) -> Output {
    let known = member.state.withLock { $0.connection == connection.number ? $0.answer : nil }
    if let known { return known }
    let members = take(with: member)
    let calls = members.map { member in
      (
        member.input,
        member.state.withLock { state in
          defer { state.wasSent = true }
          return state.wasSent
        }
      )
    }
    do throws(PostgresError) {
      let answers = try carryOut(calls, connection)
      for (member, answer) in zip(members, answers) {
        member.state.withLock { ($0.answer, $0.connection) = (answer, connection.number) }
      }
    } catch {
      guard members.count > 1, !error.isConnectionLost else { throw error }
      guard !error.isTransient else {
        // No call is the cause. The others go together with the next whose turn comes.
        waiting.withLock { $0 += members.dropFirst() }
        throw error
      }
      // The statement has changed nothing, and one of its calls is the cause.
      for member in members { member.state.withLock { $0.isAlone = true } }
      return try answer(to: member, over: connection)
    }
    guard let answer = member.state.withLock({ $0.answer }) else {
      throw .noConnection("the server's answer is too short")
    }
    return answer
  }

  /// Takes those that wait and can go with a call.
  private func take(with member: Member) -> [Member] {
    waiting.withLock { waiting in
      waiting.removeAll { $0 === member }
      var taken = [member]
      guard !member.state.withLock({ $0.isAlone }) else { return taken }
      waiting.removeAll { other in
        guard taken.count < Self.most, !other.state.withLock({ $0.isAlone }), fits(other.input, taken.map(\.input))
        else {
          return false
        }
        taken.append(other)
        return true
      }
      return taken
    }
  }
}
#endif
