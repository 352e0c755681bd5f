import CurlewCore
import CurlewLoading

/// The file of `--cookie-jar`, which is read at the beginning and written back at the end.
struct CookieFile: Sendable {
  /// The cookies of the run.
  let jar: FileCookieJar
  private let path: String

  /// Reads the file; a missing file means no cookies. A symbolic link is followed and kept.
  ///
  /// - Throws: `ToolFailure` when the file exists and cannot be read.
  init(_ path: String, publicSuffixes: any PublicSuffixes) throws(ToolFailure) {
    self.path = path
    do throws(FileSystemError) {
      jar = try FileCookieJar(LocalFileSystem().behindLink(path), publicSuffixes: publicSuffixes)
    } catch {
      throw ToolFailure("The cookies cannot be read", path, error, advice: "give --cookie-jar a file of cookies")
    }
  }

  /// Writes the cookies back if they changed.
  ///
  /// - Throws: `ToolFailure`; the file is then unchanged.
  func save() throws(ToolFailure) {
    do throws(FileSystemError) {
      try jar.save()
    } catch {
      throw ToolFailure(
        "The cookies cannot be written", path, error, advice: "give --cookie-jar a file that can be written")
    }
  }
}
