#if Postgres
import CurlewBatch
import CurlewCore

extension BatchCommand {
  /// The statement that applies the command.
  var statement: Statement {
    switch self {
    case .pause: Statement("SELECT pause_all(true)")
    case .resume: Statement("SELECT pause_all(false)")
    case .cancel: Statement("SELECT cancel_all()")
    case .pauseItem(let name): Statement("SELECT pause_item($1, true)", .text(name))
    case .resumeItem(let name): Statement("SELECT pause_item($1, false)", .text(name))
    case .cancelItem(let name): Statement("SELECT cancel_item($1)", .text(name))
    case .prioritize(let name, let priority):
      Statement("SELECT prioritize($1, $2)", .text(name), .integer(Int64(priority.rawValue)))
    case .setRules(let rules):
      Statement(
        "SELECT set_rules($1, $2, $3, $4, $5)", .integer(Int64(rules.limit)),
        .integer(rules.perHost.map { Int64($0) }), .integer(rules.ageLimit?.microseconds),
        .boolean(rules.stopsOnFailure), .integer(rules.lossLimit.map { Int64($0) }))
    case .reopen: Statement("SELECT reopen()")
    case .reopenItem(let name): Statement("SELECT reopen_item($1)", .text(name))
    }
  }

  /// The item that the command is for; nil for a command to the whole batch.
  var itemName: String? {
    switch self {
    case .pause, .resume, .cancel, .setRules, .reopen: nil
    case .pauseItem(let name), .resumeItem(let name), .cancelItem(let name), .prioritize(let name, _),
      .reopenItem(let name):
      name
    }
  }
}
#endif
