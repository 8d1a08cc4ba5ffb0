/** A machine that both reports name in their tests. */
export const MACHINE = {
  version: '0.1.0',
  commit: 'abc1234',
  node: 'v24.1.0',
  platform: 'linux x64',
  system: '6.1.0',
  cpu: 'A processor',
  cores: 2,
  memoryGiB: 8,
  disk: 'ext4',
  load: 0.35,
} as const
