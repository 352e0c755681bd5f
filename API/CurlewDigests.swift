// swift-format-ignore-file
// The public interface of CurlewDigests, written by `swift package api-text`.

import COpenSSL
import FoundationEssentials

final public class Digest {

    public let algorithm: DigestAlgorithm

    public init(_ algorithm: DigestAlgorithm) throws(DigestError)

    deinit

    public func update(_ bytes: UnsafeRawBufferPointer)

    public func update(_ bytes: Data)

    public func finish() throws(DigestError) -> Data

    public static func of(_ bytes: Data, _ algorithm: DigestAlgorithm) throws(DigestError) -> Data
}

public struct DigestAlgorithm : Sendable, Hashable, CustomStringConvertible {

    public let name: String

    public let length: Int

    public static let md5: DigestAlgorithm

    public static let sha256: DigestAlgorithm

    public static let sha512: DigestAlgorithm

    public static let sha512Truncated256: DigestAlgorithm

    public init?(name: String)

    public var description: String { get }
}

public struct DigestError : Error, Sendable, Hashable, CustomStringConvertible {

    public let algorithm: DigestAlgorithm

    public private(set) var isOutOfMemory: Bool { get }

    public var description: String { get }
}

extension DigestError : LocalizedError {

    public var errorDescription: String? { get }
}

extension Data {

    public var hexadecimal: String { get }
}
