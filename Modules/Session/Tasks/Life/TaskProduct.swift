import CurlewDownload

/// The product of a task's transfer.
enum TaskProduct: Sendable {
  /// The value of a data task, as a `ValueBox`.
  case value(any AnyObject & Sendable)
  /// A downloaded file, on the heap, since outcomes are copied often and most have a value.
  indirect case file(DownloadResult)
}

/// Holds a value of one type, so that it can be stored without that type and found again.
///
/// A box is exact where a cast of the value is not: casts look into optionals.
final class ValueBox<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
