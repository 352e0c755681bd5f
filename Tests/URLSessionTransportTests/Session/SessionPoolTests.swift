import Testing

@testable import CurlewURLSessionTransport

@Suite struct SessionPoolTests {
  @Test(arguments: [(-1, 65_536), (65_536, 65_536), (1 << 20, 1 << 20), (16 << 20, 16 << 20), (Int.max, 16 << 20)])
  func `no more than 16 MB are held for a reader, and no less than a few chunks`(asked: Int, held: Int) {
    var configuration = URLSessionTransport.Configuration()
    configuration.bodyBuffer = asked
    #expect(SessionPool(configuration).bodyBuffer == held)
    #expect(SessionPool(URLSessionTransport.Configuration()).bodyBuffer == 16 << 20)
  }
}
