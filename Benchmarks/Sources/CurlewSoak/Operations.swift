import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewOperations
import Dispatch
import Foundation
import Glibc
import HTTPTypes
import Synchronization

/// Very many operations in one queue, and many behind one dependency.
struct Operations: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operations", abstract: "Operations through one queue: each ends once, and nothing of them is left.")

  @Argument(help: "A small resource.") var url: String
  @Option(help: "How many.") var count = 100_000
  @Option(help: "How many run at once.") var width = 64
  @Option(help: "How many wait for one dependency.") var dependents = 10_000

  func run() async throws {
    let transport = try CurlTransport()
    let loader = Loader(transport)
    let request = try Request(.get, url)
    var report = Report("\(count) operations")
    // What connections, threads and the first operations take stays; it is not of the counted ones.
    let first = Crowd(count / 10, request, loader, width: width)
    await first.run()
    Self.trim()
    let before = ProcessFigures.currentMemory
    try await through(request, loader, before, &report)
    Self.trim()
    let after = ProcessFigures.currentMemory - before
    report.promise(after < 10, "\(after.short) MB more afterwards (< 10.0)")
    try await behindOne(request, loader, &report)
    await transport.shutdown()
    try report.finish()
  }

  private func through(_ request: Request, _ loader: Loader, _ before: Double, _ report: inout Report) async throws {
    let crowd = Crowd(count, request, loader, width: width)
    let each = (ProcessFigures.currentMemory - before) * 1024 / Double(count)
    report.promise(each <= 2, "\(each.short) kB each while they wait (<= 2.0)")
    let began = ProcessFigures.cpu
    await crowd.run()
    let cpu = (ProcessFigures.cpu - began) * 1e6 / Double(count)
    report.note("\(cpu.short) us of CPU each")
    report.promise(crowd.successes == count && crowd.endedOnce, "\(crowd.successes) succeeded, each ended once")
  }

  /// The CPU of operations behind one dependency, in relation to free ones; the least of some rounds that alternate.
  private func behindOne(_ request: Request, _ loader: Loader, _ report: inout Report) async throws {
    var (free, behind) = (Double.infinity, Double.infinity)
    for _ in 0..<5 {
      for isBehind in [false, true] {
        let began = ProcessFigures.cpu
        let gate = isBehind ? HTTPRequestOperation(request, over: loader) : nil
        let crowd = Crowd(dependents, request, loader, width: width, behind: gate)
        await crowd.run()
        let took = ProcessFigures.cpu - began
        if isBehind { behind = min(behind, took) } else { free = min(free, took) }
      }
    }
    let ratio = (behind / free * 100).rounded() / 100
    report.promise(ratio <= 4, "\(dependents) behind one dependency take \(ratio) times the CPU of free ones (<= 4)")
  }

  /// Returns free memory to the system, so that the rest is in use.
  private static func trim() {
    // Swift's Glibc has no malloc_trim. Safe because this is its signature in the C library.
    typealias Trim = @convention(c) (Int) -> Int32
    if let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Trim.self)(0) }
  }
}

/// Operations of one request that wait in a suspended queue, until they are run.
private final class Crowd: Sendable {
  private struct State {
    var ends: [UInt8]
    var successes = 0
  }

  private let queue = OperationQueue()
  private let group = DispatchGroup()
  private let blocks = DispatchQueue(label: "crowd")
  private let state: Mutex<State>

  init(_ count: Int, _ request: Request, _ loader: Loader, width: Int, behind gate: HTTPRequestOperation? = nil) {
    state = Mutex(State(ends: Array(repeating: 0, count: count)))
    queue.maxConcurrentOperationCount = width
    queue.isSuspended = true
    for index in 0..<count {
      let operation = HTTPRequestOperation(request, over: loader)
      operation.completionQueue = blocks
      operation.completionBlock = { [self, unowned operation] in
        let isSuccess = operation.error == nil
        state.withLock { state in
          state.ends[index] &+= 1
          state.successes += isSuccess ? 1 : 0
        }
        group.leave()
      }
      group.enter()
      if let gate { operation.addDependency(gate) }
      queue.addOperation(operation)
    }
    if let gate { queue.addOperation(gate) }
  }

  var successes: Int { state.withLock { $0.successes } }
  var endedOnce: Bool { state.withLock { $0.ends.allSatisfy { $0 == 1 } } }

  /// Returns when every block was called and the queue is empty.
  func run() async {
    queue.isSuspended = false
    await withCheckedContinuation { done in group.notify(queue: blocks) { done.resume() } }
    while queue.operationCount > 0 { await Task.yield() }
  }
}
