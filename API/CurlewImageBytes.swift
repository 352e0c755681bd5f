// swift-format-ignore-file
// The public interface of CurlewImageBytes, written by `swift package api-text`.

import CurlewCore
import CurlewSerialization
import FoundationEssentials

public struct EncodedImage : Sendable, Hashable {

    public var info: ImageInfo

    public var bytes: Data

    public init(info: ImageInfo, bytes: Data)
}

public struct ImageError : Error, Hashable, Sendable {

    public enum Kind : String, Hashable, Sendable {

        case unrecognized

        case truncated

        case malformed

        case checksumMismatch

        case tooManyPixels

        case tooManyParts

        case unsupported
    }

    public var kind: ImageError.Kind

    public var format: ImageFormat?

    public var offset: Int

    public var neededBytes: Int?

    public var reason: String
}

extension ImageError : CustomStringConvertible {

    public var description: String { get }
}

extension ImageError : LocalizedError {

    public var errorDescription: String? { get }
}

public enum ImageFormat : String, CaseIterable, Hashable, Sendable {

    case png

    case apng

    case jpeg

    case gif

    case webp

    case bmp

    case tiff

    case ico

    case cur

    case avif

    case heic

    case heif

    case svg

    case jxl
}

extension ImageFormat {

    public var mediaType: String { get }

    public var mediaTypes: [String] { get }

    public var fileExtension: String { get }

    public init?(mediaType: String)

    public static let acceptableMediaTypes: Set<String>
}

extension ImageFormat {

    public init?(recognizing beginning: some ContiguousBytes)
}

public struct ImageInfo : Hashable, Sendable {

    public var format: ImageFormat

    public var mediaType: String

    public var width: Int

    public var height: Int

    public var orientation: ImageOrientation

    public var frames: Int?

    public var hasAlpha: Bool

    public var bitDepth: Int?

    public var bytes: Int
}

extension ImageInfo {

    public var displayWidth: Int { get }

    public var displayHeight: Int { get }

    public init(format: ImageFormat, mediaType: String? = nil, width: Int, height: Int, orientation: ImageOrientation = .up, frames: Int? = 1, hasAlpha: Bool = false, bitDepth: Int? = 8, bytes: Int = 0)
}

extension ImageInfo {

    public init(of bytes: some ContiguousBytes, limits: ImageLimits = .default) throws(ImageError)

    public static func probe(_ beginning: some ContiguousBytes, limits: ImageLimits = .default) throws(ImageError) -> ImageProbe

    public init(verifying bytes: some ContiguousBytes, limits: ImageLimits = .default) throws(ImageError)
}

public struct ImageLimits : Hashable, Sendable {

    public var maximumPixels: Int

    public var maximumParts: Int

    public init(maximumPixels: Int = 1 << 28, maximumParts: Int = 1 << 20)

    public static let `default`: ImageLimits
}

public enum ImageOrientation : Int, CaseIterable, Hashable, Sendable {

    case up

    case upMirrored

    case down

    case downMirrored

    case leftMirrored

    case right

    case rightMirrored

    case left
}

extension ImageOrientation {

    public var swapsSides: Bool { get }
}

public enum ImageProbe : Hashable, Sendable {

    case info(ImageInfo)

    case needsMoreBytes(atLeast: Int)
}

public struct ImageResponseSerializer : CurlewSerialization.ResponseSerializer {

    public var validation: CurlewSerialization.ResponseValidation

    public var limits: ImageLimits

    public init(limits: ImageLimits = .default)

    public func serialize(_ head: CurlewCore.ResponseHead?, _ body: Data) throws -> EncodedImage
}

extension ResponseSerializer where Self == ImageResponseSerializer {

    public static var image: ImageResponseSerializer { get }
}
