#if Postgres
import CurlewBatch
import FoundationEssentials
import Glibc

/// Publishes a file for each item without replacing one, as a download does, and writes a log of it.
struct Publisher: Sendable {
  let folder: String

  /// Publishes the file of an item: the store confirms the lease and keeps the file's mark, then the file gets its name.
  func publish(_ context: BatchJobContext) async throws -> BatchProduct {
    let name = context.lease.item.name
    let path = folder + "/" + name
    // Sleeps because another process says when the item may go on.
    while name == "held", access(folder + "/.go", F_OK) != 0 { try await Task.sleep(for: .milliseconds(20)) }
    // The worker before this one was killed between the name and the result.
    if isMarked(path, context.lease.note) { return BatchProduct(bytes: 1) }
    let mark = Data("\(getpid()) \(context.lease.id.token) \(UInt64.random(in: 0 ... .max))".utf8)
    let draft = folder + "/.\(name).\(context.lease.id.token)"
    try mark.write(to: URL(filePath: draft))
    defer { unlink(draft) }
    try await context.confirm(note: mark)
    if link(draft, path) == 0 {
      log("published \(name)")
    } else if !isMarked(path, context.lease.note) {
      log("conflict \(name)")
    }
    return BatchProduct(bytes: 1)
  }

  private func isMarked(_ path: String, _ mark: Data?) -> Bool {
    mark != nil && (try? Data(contentsOf: URL(filePath: path))) == mark
  }

  /// Appends a line; lines of several processes do not mix.
  private func log(_ line: String) {
    let file = open(folder + "/.log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    let bytes = Array((line + "\n").utf8)
    _ = write(file, bytes, bytes.count)
  }
}
#endif
