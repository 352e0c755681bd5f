import CurlewCore
import CurlewLoading

/// The file of `--cookie-jar`: read once, and written back at the end.
struct CookieFile: Sendable {
  /// The cookies of the run.
  let jar: FileCookieJar
  private let path: String

  /// Reads it; one that is not there holds none. A symbolic link keeps pointing where it does.
  ///
  /// - Throws: `ToolFailure` for a file that is there and cannot be read.
  init(_ path: String, publicSuffixes: any PublicSuffixes) throws(ToolFailure) {
    self.path = path
    do throws(FileSystemError) {
      jar = try FileCookieJar(TargetFile.withoutLinks(path), publicSuffixes: publicSuffixes)
    } catch {
      throw ToolFailure("The cookies cannot be read", path, error, advice: "give --cookie-jar a file of cookies")
    }
  }

  /// Writes the cookies back where they changed.
  ///
  /// - Throws: `ToolFailure`; the file is then as it was.
  func save() throws(ToolFailure) {
    do throws(FileSystemError) {
      try jar.save()
    } catch {
      throw ToolFailure(
        "The cookies cannot be written", path, error, advice: "give --cookie-jar a file that can be written")
    }
  }
}
