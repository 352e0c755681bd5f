import CurlewCore

/// The file of `--report`; each line is appended in one write.
final class ReportFile: Sendable {
  private let stream: StreamDescriptor
  private let path: String

  init(_ path: String) throws(ToolFailure) {
    self.path = path
    do throws(FileSystemError) {
      stream = try StreamDescriptor(path, for: .appending)
    } catch {
      throw Self.failure(error, path)
    }
  }

  func append(_ line: ReportLine) throws(ToolFailure) {
    var text = line.text + "\n"
    var failure: FileSystemError?
    text.withUTF8 { bytes in
      do throws(FileSystemError) { try stream.write(UnsafeRawBufferPointer(bytes)) } catch { failure = error }
    }
    if let failure { throw Self.failure(failure, path) }
  }

  private static func failure(_ error: FileSystemError, _ path: String) -> ToolFailure {
    ToolFailure("The report cannot be written", path, error, advice: "give --report a file that can be written")
  }
}
