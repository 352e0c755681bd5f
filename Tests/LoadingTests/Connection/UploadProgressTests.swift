import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// What a delegate is told of an upload, over real sockets.
@Suite(.timeLimit(.minutes(10))) struct UploadProgressTests {
  /// Notes what it is told, in order.
  private final class Noting: ConnectionDelegate {
    let notes = Collected<String>()
    let isOver = ManualGate()

    func connection(_ connection: Connection, didSendBodyData bytes: Int64, total: Int64, expected: Int64?) {
      notes.append("\(total) of \(expected ?? -1)")
    }
    func connection(_ connection: Connection, didReceive response: ResponseHead) { notes.append("response") }
    func connectionDidFinishLoading(_ connection: Connection) { isOver.open() }
    func connection(_ connection: Connection, didFailWith error: any Error) {
      notes.append("\(error)")
      isOver.open()
    }
  }

  @Test(arguments: [1, 65_536, 65_537, 10_000_000])
  func `the delegate has seen all of an upload when the response comes, however long that takes`(
    count: Int
  ) async throws {
    let origin = try await ScriptedOrigin.start { request in
      _ = await request.body()
      // Sleeps because an upload is told while its response is waited for.
      try? await Task.sleep(for: .seconds(1))
      return .ok("done")
    }
    let transport = try CurlTransport()
    let delegate = Noting()
    let request = Request(.post, origin.url(), body: .bytes(Data(count: count)))
    let connection = Connection(request, over: Loader(transport), delegate: delegate)
    connection.start()
    try await delegate.isOver.wait()
    let notes = delegate.notes.all
    #expect(notes.last == "response")
    #expect(notes.dropLast().last == "\(count) of \(count)")
    await transport.shutdown()
    await origin.stop()
  }
}
