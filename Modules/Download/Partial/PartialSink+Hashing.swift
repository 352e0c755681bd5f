import CurlewDigests

extension PartialSink {
  /// Makes a digest cover all bytes of the file, reading those that it has not seen.
  func hash(_ file: PartialFile, _ expected: ExpectedDigest) async throws {
    while true {
      let isDone = try await onDisk {
        let digest =
          try file.digest.flatMap { $0.algorithm == expected.algorithm ? $0 : nil }
          ?? RunningDigest(expected.algorithm)
        file.digest = digest
        guard let open = file.file else { return true }
        return try digest.catchUp(open, to: file.length)
      }
      if isDone { return }
      try Task.checkCancellation()
    }
  }
}
