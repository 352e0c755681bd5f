#if Postgres
/// A statement with the values for its parameters.
struct Statement: Sendable {
  let sql: String
  let values: [PostgresValue]

  init(_ sql: String, _ values: PostgresValue...) { self.init(sql, values: values) }

  init(_ sql: String, values: [PostgresValue]) {
    self.sql = sql
    self.values = values
  }
}

/// A call of the store: one statement, and what its rows say.
protocol StoreCall: Sendable {
  associatedtype Output: Sendable

  /// Whether its transaction can carry out other calls, too.
  static var sharesTransaction: Bool { get }
  /// Whether one statement can carry it out together with other calls.
  func fits(_ others: [Self]) -> Bool
  /// The statement that carries out calls; `isRepeated` says that an earlier attempt may have been carried out.
  static func statement(for calls: [(call: Self, isRepeated: Bool)]) -> Statement
  /// The answers to the calls of a statement, in their order.
  static func answers(to calls: [Self], in rows: PostgresRows) -> [Output]
}

/// A call with a statement and a transaction of its own.
struct SingleCall<Output: Sendable>: StoreCall {
  static var sharesTransaction: Bool { false }

  let statement: @Sendable (_ isRepeated: Bool) -> Statement
  let read: @Sendable (PostgresRows) -> Output

  func fits(_ others: [SingleCall]) -> Bool { false }

  static func statement(for calls: [(call: SingleCall, isRepeated: Bool)]) -> Statement {
    calls[0].call.statement(calls[0].isRepeated)
  }

  static func answers(to calls: [SingleCall], in rows: PostgresRows) -> [Output] { calls.map { $0.read(rows) } }
}

/// A call that waits for its turn, and then for its answer.
protocol PendingCall: Sendable {
  var limit: CallLimit { get }
  /// Whether its answer waits until its changes are durable.
  var isChange: Bool { get }
  var sharesTransaction: Bool { get }

  /// Takes this call, the first of a list, and the others that can share its statement.
  ///
  /// - Returns: The statement, and a function that answers the calls with its rows.
  func statement(takingFrom calls: inout [any PendingCall]) -> (Statement, answer: (PostgresRows) -> Void)
  func fail(_ error: PostgresError)
}

/// A call with the place for its answer.
struct Pending<Call: StoreCall>: PendingCall {
  let call: Call
  let isRepeated: Bool
  let isChange: Bool
  let limit: CallLimit
  let answer: Answer<Call.Output>

  var sharesTransaction: Bool { Call.sharesTransaction }

  func statement(takingFrom calls: inout [any PendingCall]) -> (Statement, answer: (PostgresRows) -> Void) {
    var taken = [self]
    var others: [any PendingCall] = []
    for call in calls.dropFirst() {
      if let other = call as? Self, other.call.fits(taken.map(\.call)) {
        taken.append(other)
      } else {
        others.append(call)
      }
    }
    calls = others
    return (
      Call.statement(for: taken.map { ($0.call, $0.isRepeated) }),
      { rows in
        let answers = Call.answers(to: taken.map(\.call), in: rows)
        for (call, answer) in zip(taken, answers) { call.answer.give(.success(answer)) }
        for call in taken.dropFirst(answers.count) { call.fail(.noConnection("the server's answer is too short")) }
      }
    )
  }

  func fail(_ error: PostgresError) { answer.give(.failure(error)) }
}
#endif
