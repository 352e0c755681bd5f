import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import HTTPTypes

/// Measures the memory of transfers that were not started.
struct HoldCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold", abstract: "Makes transfers, starts none, and prints the bytes that each holds.")

  @Argument(help: "How many, 10,000 at least.") var count: Int

  func validate() throws {
    guard count >= 10_000 else { throw ValidationError("Fewer than 10,000 drown in what a process holds anyway.") }
  }

  func run() async throws {
    let transport = try CurlTransport()
    let loader = Loader(transport)
    let request = try Request(.get, "http://127.0.0.1:8080/1k")
    var transfers: [Transfer<TransferResult>] = []
    transfers.reserveCapacity(count)
    for _ in 0..<1000 { transfers.append(Transfer(loader, request, to: .memory(limit: 1 << 20))) }
    let before = Usage.current.peakMegabytes
    for _ in 1000..<count { transfers.append(Transfer(loader, request, to: .memory(limit: 1 << 20))) }
    let held = (Usage.current.peakMegabytes - before) * 1_048_576 / Double(count - 1000)
    let ready = transfers.count { $0.state == .ready }
    print("transfers n=\(ready) bytes_each=\(decimal(held, 0))")
    transfers.removeAll()
    await transport.shutdown()
  }
}
