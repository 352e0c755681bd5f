struct FieldErrorP: Error {}
public struct ContentLength { public let value: Int64; public init(_ text: String) throws { guard let v = Int64(text), v >= 0 else { throw FieldErrorP() }; value = v } }
