import CFuzzer
public import FoundationEssentials
import Glibc

/// A program that passes libFuzzer's inputs to one parser.
///
/// ```swift
/// @main enum FuzzJSON: FuzzTarget {
///   static func read(_ bytes: Data) { _ = try? JSONValue(parsing: bytes) }
/// }
/// ```
public protocol FuzzTarget {
  /// Parses one input; a trap, a sanitizer's report or a failed demand is a find.
  static func read(_ bytes: Data)
}

extension FuzzTarget {
  /// Runs until libFuzzer's options end it, or until the first find.
  public static func main() {
    target = Self.self
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments, testOneInput))
  }

  /// Ends the program unless a rule holds.
  public static func demand(_ holds: Bool, _ rule: @autoclosure () -> String) {
    // This is the one place where a trap is wanted.
    if !holds { fatalError("broken: \(rule())") }
  }
}

// Safe because it is set once, before the driver starts and on the driver's thread.
nonisolated(unsafe) private var target: (any FuzzTarget.Type)?

private func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target?.read(start.map { Data(bytes: $0, count: count) } ?? Data())
  return 0
}
