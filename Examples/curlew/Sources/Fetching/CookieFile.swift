import CurlewCore
import CurlewLoading
import FoundationEssentials

/// The file of `--cookie-jar`, which is read at the beginning and written back at the end, or that of `-b`, which is only read.
struct CookieFile: Sendable {
  /// The cookies of the run.
  let jar: FileCookieJar
  private let path: String
  private let isWritten: Bool

  /// Reads the file; a missing file means no cookies. A symbolic link is followed and kept.
  ///
  /// - Parameter option: The option that names the file, for the error.
  /// - Throws: `ToolFailure` when the file exists and cannot be read.
  init(
    _ path: String, _ option: String = "--cookie-jar", publicSuffixes: any PublicSuffixes, isWritten: Bool = true
  ) throws(ToolFailure) {
    self.path = path
    self.isWritten = isWritten
    do throws(FileSystemError) {
      jar = try FileCookieJar(LocalFileSystem().behindLink(path), publicSuffixes: publicSuffixes)
    } catch {
      throw ToolFailure("The cookies cannot be read", path, error, advice: "give \(option) a file of cookies")
    }
  }

  /// Adds cookies of another file.
  func add(_ cookies: [Cookie]) {
    let now = HTTPDate(secondsSince1970: Int64(Date().timeIntervalSince1970))
    for cookie in cookies { _ = jar.memory.put(cookie, at: now) }
  }

  /// Writes the cookies back if they changed.
  ///
  /// - Throws: `ToolFailure`; the file is then unchanged.
  func save() throws(ToolFailure) {
    guard isWritten else { return }
    do throws(FileSystemError) {
      try jar.save()
    } catch {
      throw ToolFailure(
        "The cookies cannot be written", path, error, advice: "give --cookie-jar a file that can be written")
    }
  }
}
