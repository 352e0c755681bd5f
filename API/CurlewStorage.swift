// swift-format-ignore-file
// The public interface of CurlewStorage, written by `swift package api-text`.

import CurlewCore
import FoundationEssentials
import Glibc

public struct AtomicFile : Sendable {

    public enum Access : Sendable, Hashable {

        case owner

        case ordinary
    }

    public enum Durability : Sendable, Hashable {

        case powerFailure

        case processEnd
    }

    public let path: String

    public let access: AtomicFile.Access

    public let durability: AtomicFile.Durability

    public init(_ path: String, access: AtomicFile.Access = .owner, durability: AtomicFile.Durability = .powerFailure, in files: any CurlewCore.FileSystem = LocalFileSystem())

    public func write(_ data: Data) throws(CurlewCore.FileSystemError)

    public func begin() throws(CurlewCore.FileSystemError) -> AtomicFileWriter

    public func read(upTo limit: Int) throws(CurlewCore.FileSystemError) -> Data?

    public static func removeLeftovers(in directory: String, of files: any CurlewCore.FileSystem = LocalFileSystem()) throws(CurlewCore.FileSystemError)
}

final public class AtomicFileWriter : Sendable {

    deinit

    public var length: Int64 { get }

    public func append(_ bytes: UnsafeRawBufferPointer) throws(CurlewCore.FileSystemError)

    public func commit() throws(CurlewCore.FileSystemError)

    public func discard()
}

final public class BoundedStore : Sendable {

    public struct Limits : Sendable, Hashable {

        public var capacity: Int64

        public var content: Int64

        public var entries: Int

        public init(capacity: Int64, content: Int64? = nil, entries: Int = 100_000)
    }

    public let directory: String

    public let limits: BoundedStore.Limits

    public init(_ directory: String, limits: BoundedStore.Limits, in files: any CurlewCore.FileSystem = LocalFileSystem()) throws(CurlewCore.FileSystemError)

    public func entry(for key: String) -> StoredEntry?

    public func begin(expecting length: Int64? = nil) -> EntryWriter

    public func replace(_ entry: StoredEntry, under key: String, header: Data) throws(CurlewCore.FileSystemError)

    public func remove(_ key: String)

    public func removeAll() throws(CurlewCore.FileSystemError)
}

public struct Checksum : Sendable {

    public init()

    public init(of bytes: UnsafeRawBufferPointer)

    public mutating func update(_ bytes: UnsafeRawBufferPointer)

    public var value: UInt64 { get }
}

final public class DiskWork : Sendable {

    public init()

    deinit

    public func run<Output, Failure>(_ work: @escaping @Sendable () throws(Failure) -> Output) async throws(Failure) -> Output where Output : Sendable, Failure : Error

    public func enqueue(_ work: @escaping @Sendable () -> Void)
}

final public class EntryWriter : Sendable {

    public func append(_ bytes: UnsafeRawBufferPointer) throws(CurlewCore.FileSystemError)

    public func commit(_ key: String, header: Data) throws(CurlewCore.FileSystemError)

    public func discard()
}

final public class Journal : Sendable {

    public struct Limits : Sendable, Hashable {

        public var record: Int

        public var file: Int64

        public init(record: Int = 1 << 20, file: Int64 = 64 << 20)
    }

    public let path: String

    public let limits: Journal.Limits

    public init(_ path: String, limits: Journal.Limits = Limits(), refusesDamage: Bool = false, in files: any CurlewCore.FileSystem = LocalFileSystem(), replay: (Data) -> Void) throws(JournalError)

    deinit

    public var length: Int64 { get }

    public func append(_ record: Data) throws(JournalError)

    public func synchronize() throws(JournalError)

    public func compact(to records: some Sequence<Data>) throws(JournalError)

    public func remove() throws(JournalError)

    public func close()
}

public struct JournalError : Error, Sendable, Hashable, CustomStringConvertible {

    public struct Kind : Sendable, Hashable {

        public static let inUse: JournalError.Kind

        public static let notAJournal: JournalError.Kind

        public static let damaged: JournalError.Kind

        public static let unsupportedVersion: JournalError.Kind

        public static let recordTooLong: JournalError.Kind

        public static let full: JournalError.Kind

        public static let file: JournalError.Kind

        public static let unavailable: JournalError.Kind
    }

    public var kind: JournalError.Kind

    public var path: String

    public var underlying: CurlewCore.FileSystemError?

    public init(_ kind: JournalError.Kind, path: String, underlying: CurlewCore.FileSystemError? = nil)

    public var advice: String? { get }

    public var description: String { get }

    public var message: String { get }
}

extension JournalError : LocalizedError {

    public var errorDescription: String? { get }

    public var recoverySuggestion: String? { get }
}

final public class LockFile : Sendable {

    public let path: String

    public static func tryAcquire(_ path: String, in files: any CurlewCore.FileSystem = LocalFileSystem()) throws(CurlewCore.FileSystemError) -> LockFile?

    public func release()
}

final public class StoredEntry : Sendable {

    public let header: Data

    public var length: Int64 { get }

    public func read(at offset: Int64, upTo count: Int) throws(CurlewCore.FileSystemError) -> Data
}
