#if Postgres
/// A connection that is set up for a store: its schema exists and has the right version.
///
/// Every call may block on the network.
final class StoreConnection {
  private let connection: PostgresConnection
  /// The durability that the server is configured to have.
  private let durability: String

  /// Whether the statement that is running must end without an answer.
  var isOver: () -> Bool {
    get { connection.isOver }
    set { connection.isOver = newValue }
  }

  /// Connects, and creates the schema if it is missing and may be written.
  ///
  /// - Parameter isOver: Whether a statement of the set-up must end without an answer.
  /// - Throws: `PostgresError`; with a state of `StoreError` if the database cannot hold the store.
  init(
    _ address: PostgresAddress, schema: String, access: PostgresBatchStore.Access,
    isOver: @escaping () -> Bool = { false }
  ) throws(PostgresError) {
    connection = try PostgresConnection(address)
    connection.isOver = isOver
    let facts = try connection.run(
      "SELECT current_setting('server_encoding'), current_setting('synchronous_commit')")
    guard facts.text(0, 0) == "UTF8" else { throw StoreError.encoding(facts.text(0, 0) ?? "") }
    durability = facts.text(0, 1) ?? "on"
    // The plans of a session are kept while the tables grow: each row is found by an index. Planning takes longer than what it plans. A
    // commit does not wait for the disk while it holds the lock of the batch; `settle` does that after it. An operator's lock does not
    // hold a worker for ever.
    try connection.run(
      """
      SELECT set_config('search_path', quote_ident($1), false), set_config('enable_seqscan', 'off', false),
        set_config('enable_hashjoin', 'off', false), set_config('enable_mergejoin', 'off', false),
        set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false),
        set_config('synchronous_commit', 'off', false),
        set_config('lock_timeout', '30s', false), set_config('client_min_messages', 'error', false),
        set_config('default_transaction_isolation', 'read committed', false),
        set_config('default_transaction_read_only', $2, false)
      """, [.text(schema), .text(access == .reading ? "on" : "off")])
    try open(schema, access)
  }

  /// Runs statements as one transaction, and returns the rows of each.
  ///
  /// - Parameter settles: Whether it waits until everything that this session has committed is durable. The server writes its log in
  ///   order, so a later commit that waits for the disk makes all earlier ones durable.
  func run(_ statements: [Statement], settles: Bool) throws(PostgresError) -> [PostgresRows] {
    guard settles, durability != "off" else { return try connection.run([statements])[0] }
    return try connection.run([statements, [Statement("SELECT settle($1)", .text(durability))]])[0]
  }

  private func open(_ schema: String, _ access: PostgresBatchStore.Access) throws(PostgresError) {
    if try !exists() {
      guard access == .writing else { throw StoreError.missing(schema) }
      try create(schema)
    }
    do throws(PostgresError) {
      let rows = try connection.run("SELECT application, version FROM batch")
      guard rows.text(0, 0) == StoreSchema.application else { throw StoreError.notAStore(schema) }
      guard rows.integer(0, 1) == StoreSchema.version else { throw StoreError.version(rows.integer(0, 1) ?? 0, schema) }
    } catch  where error.state == "42703" {
      throw StoreError.notAStore(schema)
    }
  }

  private func exists() throws(PostgresError) -> Bool {
    try connection.run("SELECT to_regclass('batch') IS NOT NULL").boolean(0, 0)
  }

  /// Creates the schema, its tables and its functions in one transaction; one worker does, if several start at once.
  ///
  /// The lock belongs to the session, and is taken before the transaction begins: within one that has waited for it, the server would
  /// still resolve names as before.
  private func create(_ schema: String) throws(PostgresError) {
    let key = "hashtextextended('curlew-batch-store ' || $1, 0)"
    try connection.run("SELECT pg_advisory_lock(\(key))", [.text(schema)])
    if try !exists() {
      try connection.execute("BEGIN")
      try connection.run("SELECT set_config('curlew.schema', $1, true)", [.text(schema)])
      try connection.execute(
        "DO $$ BEGIN EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', current_setting('curlew.schema')); END $$")
      try connection.execute(StoreSchema.statements)
      try connection.execute("COMMIT")
      _ = try run([Statement("SELECT")], settles: true)
    }
    // After an error the session ends, and the lock with it.
    try connection.run("SELECT pg_advisory_unlock(\(key))", [.text(schema)])
  }
}
#endif
