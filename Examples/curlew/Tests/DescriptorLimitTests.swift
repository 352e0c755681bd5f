import Testing

@testable import CurlewTool

@Suite struct DescriptorLimitTests {
  @Test(arguments: [
    (10_000, 20_000, 9_968), (10_000, 1 << 20, 10_000), (4, 1_024, 4), (200, 64, 1), (200, 0, 1), (200, 66, 1),
    (200, 68, 2),
  ]) func `transfers into files are as many as there are descriptors for`(wanted: Int, limit: Int, expected: Int) {
    #expect(DescriptorLimit.transfers(wanted, limit: limit) == expected)
  }
}
