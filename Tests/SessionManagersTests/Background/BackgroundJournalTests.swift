import CurlewCore
import CurlewDownload
import CurlewSession
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

/// The journal of a background session when its bytes are not those that were written.
@Suite(.timeLimit(.minutes(10))) struct BackgroundJournalTests {
  @Test func `a journal in which a byte has changed is refused and left as it is, and one with a torn end is not`()
    async throws
  {
    let origin = try await ScriptedOrigin.start { _ in .ok("file") }
    try await Fixture.withDirectory { directory in
      let log = BackgroundLog()
      let path = directory + "/birds.curlew-background"
      let session = try await Fixture.background(directory, log.names)
      for name in ["a", "b", "c"] {
        let target = DownloadTarget.file("\(directory)/\(name)")
        _ = try await session.downloadTask(with: Request(.get, origin.url("/f")), to: target, handler: .log)
      }
      await session.close()
      let whole = try #require(FileManager.default.contents(atPath: path))
      // Bytes of the first two records: lengths, checksums and payloads.
      for index in Array(24..<64) + [whole.count / 2] {
        var damaged = whole
        damaged[index] ^= 0x41
        try damaged.write(to: URL(filePath: path))
        let error = await #expect(throws: NetworkError.self) { _ = try await Fixture.background(directory, log.names) }
        #expect(error?.kind == .fileError && error?.message.contains("have changed") == true, "\(index)")
        #expect(FileManager.default.contents(atPath: path) == damaged)
      }
      for torn in [whole.dropLast(), whole.dropLast(40), whole + Data(count: 4_096)] {
        try torn.write(to: URL(filePath: path))
        let left = try await Fixture.background(directory, log.names)
        #expect(left.tasks.count == (torn.count < whole.count ? 2 : 3))
        await left.close()
      }
    }
    await origin.stop()
  }

  @Test func `a transfer that has begun, or was about to get its name, was resumed`() throws {
    for mark in [
      BackgroundRecord.begun(1),
      .publishing(1, .init(path: "/f", identity: FileIdentity(device: 1, inode: 2), length: 3)),
    ] {
      var ledger = BackgroundLedger()
      ledger.apply(
        .transfer(
          BackgroundTransfer(
            number: 1, handler: .log, request: RequestArchive(Fixture.request), work: .upload(repeatsUnsafe: false),
            includesSecrets: false)))
      #expect(ledger.transfers[1]?.isSuspended == true)
      ledger.apply(mark)
      #expect(ledger.transfers[1]?.isSuspended == false)
    }
  }
}
