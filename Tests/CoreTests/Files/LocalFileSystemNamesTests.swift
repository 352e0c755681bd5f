import CurlewCore
import Glibc
import Testing

/// Names, links, identities and attributes of the machine's files, on the disk and in memory (tmpfs).
@Suite(.timeLimit(.minutes(10))) struct LocalFileSystemNamesTests {
  private let files = LocalFileSystem()

  static let places: [String] = ["/var/tmp", "/dev/shm"].filter { (place: String) in access(place, W_OK) == 0 }

  private func make(_ path: String, _ byte: UInt8 = 1) throws {
    let file = try files.open(path, [.write, .create])
    try [byte].withUnsafeBytes { try file.write($0, at: 0) }
    try file.close()
  }

  private func byte(_ path: String) throws -> UInt8 {
    var byte: UInt8 = 0
    _ = try withUnsafeMutableBytes(of: &byte) { try files.open(path, .read).read(into: $0, at: 0) }
    return byte
  }

  @Test(arguments: places) func `a rename that must not replace fails where anything has the new name`(
    _ place: String
  ) throws {
    let directory = TemporaryDirectory(in: place)
    let (old, new, link) = (directory.path + "/old", directory.path + "/new", directory.path + "/link")
    try make(old, 1)
    try make(new, 2)
    #expect(symlink("nowhere", link) == 0)
    #expect(code { try files.rename(old, to: new, replacing: false) } == EEXIST)
    #expect(code { try files.rename(old, to: link, replacing: false) } == EEXIST)
    #expect(code { try files.rename(old, to: directory.path, replacing: false) } == EEXIST)
    #expect(try byte(new) == 2)
    try files.remove(new)
    try files.rename(old, to: new, replacing: false)
    #expect(try byte(new) == 1)
    #expect(try files.status(old) == nil)
    #expect(code { try files.rename(old, to: new, replacing: false) } == ENOENT)
  }

  @Test(arguments: places) func `where the system knows no such rename, a second name does the same`(
    _ place: String
  ) throws {
    let directory = TemporaryDirectory(in: place)
    let (old, new) = (directory.path + "/old", directory.path + "/new")
    try make(old, 1)
    try make(new, 2)
    #expect(code { try LocalFileSystem.renameByLink(old, to: new) } == EEXIST)
    #expect(try byte(old) == 1)
    try files.remove(new)
    try LocalFileSystem.renameByLink(old, to: new)
    #expect(try byte(new) == 1)
    #expect(try files.linkStatus(old) == nil)
  }

  @Test(arguments: places) func `of 16 at once that want one name without replacing, one gets it`(
    _ place: String
  ) async throws {
    let directory = TemporaryDirectory(in: place)
    for round in 0..<20 {
      let target = directory.path + "/target\(round)"
      for number in 0..<16 { try make(directory.path + "/\(round)-\(number)", UInt8(number)) }
      let winners = await withTaskGroup(of: Int?.self) { group in
        for number in 0..<16 {
          group.addTask {
            code {
              try LocalFileSystem().rename(directory.path + "/\(round)-\(number)", to: target, replacing: false)
            } == 0 ? number : nil
          }
        }
        return await group.reduce(into: [Int]()) { if let winner = $1 { $0.append(winner) } }
      }
      #expect(winners.count == 1)
      #expect(try byte(target) == winners.first.map { UInt8($0) })
    }
  }

  @Test func `a link is seen, followed, and resolved to the file behind it`() throws {
    let directory = TemporaryDirectory()
    let top = try files.resolved(directory.path)
    try make(top + "/file")
    #expect(symlink("file", top + "/link") == 0)
    #expect(symlink("gone", top + "/dangling") == 0)
    #expect(symlink("circle", top + "/circle") == 0)
    #expect(try files.linkStatus(top + "/link")?.kind == .symbolicLink)
    #expect(try files.status(top + "/link")?.kind == .regular)
    #expect(try files.linkStatus(top + "/file") == files.status(top + "/link"))
    #expect(try files.resolved(top + "/./link") == top + "/file")
    #expect(try files.linkStatus(top + "/dangling")?.kind == .symbolicLink)
    #expect(try files.status(top + "/dangling") == nil)
    #expect(try files.linkStatus(top + "/nothing") == nil)
    #expect(code { _ = try files.resolved(top + "/dangling") } == ENOENT)
    #expect(code { _ = try files.resolved(top + "/circle") } == ELOOP)
  }

  @Test func `an open file is still told from the one that took its name`() throws {
    let directory = TemporaryDirectory()
    let (path, other) = (directory.path + "/a", directory.path + "/b")
    try make(path)
    try make(other, 2)
    let file = try files.open(path, .read)
    #expect(try file.status().identity == files.status(path)?.identity)
    try files.rename(other, to: path)
    #expect(try file.status().identity != files.status(path)?.identity)
    try files.remove(path)
    #expect(try file.status().length == 1)
  }

  @Test func `permissions and the time of the last change are set and read`() throws {
    let directory = TemporaryDirectory()
    let file = try files.open(directory.path + "/a", [.write, .create])
    try file.setPermissions(0o4751)
    try file.setModified(1_234_567_890)
    let status = try #require(try files.status(directory.path + "/a"))
    #expect(status.permissions == 0o751)
    #expect(status.modified == 1_234_567_890)
    #expect(try file.status() == status)
    try file.close()
    #expect(code { _ = try file.status() } == EBADF)
    #expect(code { try file.setPermissions(0o600) } == EBADF)
    #expect(code { try file.setModified(0) } == EBADF)
  }
}
