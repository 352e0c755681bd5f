import ArgumentParser
import CurlewCore
import FoundationEssentials

/// The file of `--netrc` or `--netrc-file`, read.
struct NetrcArgument: Sendable {
  let path: String
  let netrc: Netrc

  /// Reads the file.
  ///
  /// - Throws: `ValidationError`, which quotes nothing of it.
  @Sendable static func read(_ path: String) throws -> NetrcArgument {
    let bytes = try BodyArguments.contents(of: try checkedPath(path))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ValidationError("'\(path)' is not UTF-8; write a .netrc file of text.")
    }
    do throws(Netrc.Problem) {
      return NetrcArgument(path: path, netrc: try Netrc(parsing: text))
    } catch {
      throw ValidationError("'\(path)', line \(error.line): \(error.reason).")
    }
  }

  /// Reads `~/.netrc`; nil if that file does not exist.
  static func ofHome() throws -> NetrcArgument? {
    guard let home = ProcessInfo.processInfo.environment["HOME"], !home.isEmpty else { return nil }
    let path = home + "/.netrc"
    return FileManager.default.fileExists(atPath: path) ? try read(path) : nil
  }

  /// The sentence to print if other users can read the passwords; nil if they cannot.
  var warning: String? {
    guard let status = try? LocalFileSystem().status(path), status.kind == .regular, status.permissions & 0o077 != 0
    else {
      return nil
    }
    return "curlew: \(path) has passwords, and other users may read it; run chmod 600 \(path)."
  }
}
