#if Postgres
import CLibpq
import Glibc

/// One connection to a server.
///
/// Every call may block on the network: connecting for the `connect_timeout` of each host, a statement until `isOver` says so.
final class PostgresConnection {
  /// How often a statement that waits for its answer asks `isOver`, in milliseconds.
  private static let interval: Int32 = 100

  /// Whether the statement that is running must end without an answer; the connection is of no more use then.
  var isOver: () -> Bool = { false }
  private let connection: OpaquePointer
  private let address: PostgresAddress
  private var statements: [String: String] = [:]

  /// The options of a connection, which the address can replace. They end a connection whose other end has vanished without a
  /// word after about half a minute.
  private static let options = [
    ("connect_timeout", "10"), ("tcp_user_timeout", "30000"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
    ("keepalives_count", "4"), ("fallback_application_name", "curlew"),
  ]

  /// Connects to a server.
  init(_ address: PostgresAddress) throws(PostgresError) {
    self.address = address
    // `dbname` is expanded to the whole address. What must hold whatever it says comes after it.
    let options = Self.options + [("dbname", address.text), ("client_encoding", "UTF8")]
    let connection = Self.withTexts(options.map(\.0)) { keywords in
      Self.withTexts(options.map(\.1)) { values in PQconnectdbParams(keywords, values, 1) }
    }
    guard let connection else { throw .noConnection("there is no memory for a connection") }
    guard PQstatus(connection) == CONNECTION_OK else {
      let message = address.withoutSecrets(String(cString: PQerrorMessage(connection)))
      PQfinish(connection)
      throw .noConnection(message)
    }
    self.connection = connection
    // Without this, libpq prints what the server notes to standard error.
    PQsetNoticeReceiver(connection, { _, _ in }, nil)
    // A large statement must not block on a server that does not read.
    PQsetnonblocking(connection, 1)
  }

  deinit { PQfinish(connection) }

  /// Whether the server asks to try again later, as while it starts.
  static func isStarting(_ address: PostgresAddress) -> Bool {
    withTexts(["connect_timeout", "dbname"]) { keywords in
      withTexts(["10", address.text]) { values in PQpingParams(keywords, values, 1) == PQPING_REJECT }
    }
  }

  /// Runs one statement with values for its parameters, and returns its rows.
  ///
  /// Each statement is compiled once.
  @discardableResult
  func run(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) -> PostgresRows {
    try rows(send(Statement(sql, values: values), try prepare(sql, values)))
  }

  /// Runs lists of statements, each as one transaction, and returns the rows of each list; all are sent at once.
  ///
  /// A statement that fails undoes its list, and the other lists are carried out. If a later list fails, the connection counts as lost,
  /// since those before it are carried out and have no answer.
  func run(_ transactions: [[Statement]]) throws(PostgresError) -> [[PostgresRows]] {
    var names: [String] = []
    for statement in transactions.joined() { names.append(try prepare(statement.sql, statement.values)) }
    var isAccepted = PQenterPipelineMode(connection)
    var next = names.makeIterator()
    for transaction in transactions {
      for statement in transaction where isAccepted == 1 { isAccepted = send(statement, next.next() ?? "") }
      if isAccepted == 1 { isAccepted = PQpipelineSync(connection) }
    }
    try flush(isAccepted)
    var answers: [[PostgresRows]] = []
    var failure: PostgresError?
    for transaction in transactions {
      var rows: [PostgresRows] = []
      for _ in transaction {
        do throws(PostgresError) {
          rows.append(try answer())
        } catch {
          failure = failure ?? (answers.isEmpty ? error : .noConnection(error.message))
        }
        if let failure, failure.isConnectionLost { throw failure }
      }
      answers.append(rows)
      guard let end = try nextResult() else { throw lost }
      defer { PQclear(end) }
      guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw lost }
    }
    guard PQexitPipelineMode(connection) == 1 else { throw lost }
    if let failure { throw failure }
    return answers
  }

  private func send(_ statement: Statement, _ name: String) -> Int32 {
    let encoded = statement.values.map(\.encoded)
    let lengths = encoded.map { Int32(clamping: $0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: encoded.count)
    return Self.withBytes(encoded) { pointers in
      PQsendQueryPrepared(connection, name, Int32(encoded.count), pointers, lengths, formats, 1)
    }
  }

  /// Runs a list of statements without values.
  func execute(_ sql: String) throws(PostgresError) { _ = try rows(PQsendQuery(connection, sql)) }

  private func prepare(_ sql: String, _ values: [PostgresValue]) throws(PostgresError) -> String {
    if let name = statements[sql] { return name }
    let name = "curlew_\(statements.count)"
    _ = try rows(PQsendPrepare(connection, name, sql, Int32(values.count), values.map(\.type)))
    statements[sql] = name
    return name
  }

  // MARK: Answers

  /// Sends what libpq has accepted, and returns the rows of the last answer.
  private func rows(_ isAccepted: Int32) throws(PostgresError) -> PostgresRows {
    try flush(isAccepted)
    return try answer()
  }

  /// Sends what libpq has accepted.
  private func flush(_ isAccepted: Int32) throws(PostgresError) {
    guard isAccepted == 1 else { throw lost }
    while true {
      let rest = PQflush(connection)
      if rest == 0 { break }
      guard rest == 1 else { throw lost }
      // The server may wait until its own answer is read before it reads on.
      if try wait(for: POLLIN | POLLOUT), PQconsumeInput(connection) != 1 { throw lost }
    }
  }

  /// Reads the results up to the end of a statement, or of a list without values, and returns the rows of the last one.
  private func answer() throws(PostgresError) -> PostgresRows {
    var last: PostgresRows?
    var failure: PostgresError?
    while let result = try nextResult() {
      // libpq returns the result of a COPY, which no statement of a store is, again and again.
      let isEndless = [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(PQresultStatus(result))
      do throws(PostgresError) { last = try rows(of: result) } catch { failure = failure ?? error }
      if isEndless { throw .noConnection("the server answers a statement with a copy of data") }
    }
    if let failure { throw failure }
    guard let last else { throw lost }
    return last
  }

  /// Waits for the next result of a statement; nil after the last one.
  private func nextResult() throws(PostgresError) -> OpaquePointer? {
    while PQisBusy(connection) == 1 {
      if try wait(for: POLLIN), PQconsumeInput(connection) != 1 { throw lost }
    }
    return PQgetResult(connection)
  }

  /// Waits until the socket is ready, and returns whether it can be read.
  private func wait(for events: Int32) throws(PostgresError) -> Bool {
    var socket = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
    while true {
      guard socket.fd >= 0 else { throw lost }
      let count = poll(&socket, 1, Self.interval)
      let found = Int32(socket.revents)
      if count > 0, found & POLLNVAL == 0 { return found & (POLLIN | POLLERR | POLLHUP) != 0 }
      guard count == 0 || count < 0 && errno == EINTR else { throw lost }
      if isOver() { throw .noConnection("the server does not answer") }
    }
  }

  private var lost: PostgresError { .noConnection(address.withoutSecrets(String(cString: PQerrorMessage(connection)))) }

  private func rows(of result: OpaquePointer) throws(PostgresError) -> PostgresRows {
    let status = PQresultStatus(result)
    let rows = PostgresRows(result)
    // Its end would clear the result, whose fields are read below.
    defer { extendLifetime(rows) }
    if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK { return rows }
    // An error of the library has no code; then the connection is gone, or the call was too large for it.
    let state = PQresultErrorField(result, 67).map { String(cString: $0) } ?? ""
    let text = PQresultErrorField(result, 77).map { String(cString: $0) } ?? String(cString: PQerrorMessage(connection))
    let isOpen = PQstatus(connection) == CONNECTION_OK
    throw PostgresError(
      state: state.isEmpty && isOpen ? "XX000" : isOpen ? state : "", message: address.withoutSecrets(text))
  }

  // MARK: Memory

  /// Calls `body` with texts as C strings and a null pointer behind them.
  private static func withTexts<Output>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Output
  ) -> Output {
    withBytes(texts.map { Array($0.utf8) + [0] }) { body($0) }
  }

  /// Calls `body` with the address of each array, nil for nil, and a null pointer behind them.
  private static func withBytes<Output>(
    _ arrays: [[UInt8]?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Output
  ) -> Output {
    // One buffer with all arrays, each with a byte behind it, so that no address of an empty array is null.
    var buffer: [UInt8] = []
    buffer.reserveCapacity(arrays.reduce(0) { $0 + ($1?.count ?? 0) + 1 })
    var offsets: [Int?] = []
    for array in arrays {
      offsets.append(array.map { _ in buffer.count })
      buffer += array ?? []
      buffer.append(0)
    }
    if buffer.isEmpty { buffer.append(0) }
    return buffer.withUnsafeBytes { bytes in
      let pointers = offsets.map { offset -> UnsafePointer<CChar>? in
        offset.flatMap { bytes.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
      }
      return (pointers + [nil]).withUnsafeBufferPointer { body($0.baseAddress) }
    }
  }
}
#endif
