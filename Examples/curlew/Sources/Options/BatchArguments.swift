import ArgumentParser

/// The options about a batch and its store.
struct BatchArguments: ParsableArguments {
  @Option(
    name: [.customShort("O"), .customLong("output-directory"), .customLong("output-dir")],
    help: ArgumentHelp("Where the files go. Default: the current directory.", valueName: "directory"),
    transform: checkedDirectory)
  var directory: String?

  @Option(
    help: ArgumentHelp(
      """
      Where the state is kept: memory, a file, or a PostgreSQL database on which any number of processes work together \
      (postgres://user@host/database#schema; libpq takes the password from PGPASSWORD or ~/.pgpass). Default: .curlew-batch in \
      the directory.
      """,
      valueName: "memory|file|postgres://…"))
  var store: StoreArgument?

  @Flag(help: "End with the first failure: what runs is cancelled, and what has not begun is skipped.")
  var stopOnFailure = false

  @Flag(
    help: """
      Replace a file that is already there and is not proven to be the item's, by the store or by its digest; its permissions \
      stay. Without this the item fails, and the file is kept.
      """)
  var replace = false

  @Option(
    help: ArgumentHelp(
      "The number of transfers at a time from one host, over all processes. Default: no limit.", valueName: "n"))
  var workersPerHost: Int?

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: ArgumentHelp("A header field for all requests.", valueName: "name: value"), transform: HeaderArgument.read)
  var headers: [HeaderArgument] = []

  @Flag(help: "Print the state of the store, and work on nothing.")
  var status = false

  @Flag(help: "With --status: a JSON object with the counts, then one on a line for each failure.")
  var json = false

  func validate() throws {
    if let workersPerHost, !(1...1_000_000).contains(workersPerHost) {
      throw ValidationError("--workers-per-host must be between 1 and 1000000.")
    }
    if json, !status { throw ValidationError("--json is about --status.") }
    try store?.check()
  }

  /// The directory of the files.
  var folder: String { directory ?? "." }

  /// The store that was given, or the one in the directory.
  var chosenStore: StoreArgument { store ?? .file((folder.hasSuffix("/") ? folder : folder + "/") + ".curlew-batch") }
}
