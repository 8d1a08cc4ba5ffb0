import { describe, expect, it } from 'vitest'
import { volumePaths, withVolumeFolder } from '../../../../src-main/features/platform-api/rules/volume-mounts.ts'

const network = { kind: 'network', path: '/data', reference: 'data', id: 'v1' }
const global = { kind: 'global', path: '/all', reference: 'all', id: 'g1' }
const mounts = (...list: readonly object[]) => ({ A: '1', RUNPOD_MOUNTS: JSON.stringify(list) })

describe('the path of a volume', () => {
  it('is that of the mount, else the usual one', () => {
    expect(volumePaths(mounts(network, global))).toEqual(['/data'])
    expect(volumePaths(mounts(global))).toEqual(['/runpod-volume'])
    expect(volumePaths({})).toEqual(['/runpod-volume'])
  })

  it.each(['{', '{}', '[{"path": 3}]', '[{"kind": "network", "path": "data"}]'])(
    'is the usual one where the variable is %s',
    (RUNPOD_MOUNTS) => {
      expect(volumePaths({ RUNPOD_MOUNTS })).toEqual(['/runpod-volume'])
      expect(withVolumeFolder({ RUNPOD_MOUNTS }, '/folder')).toEqual({ RUNPOD_MOUNTS })
    },
  )

  it('of a process is the folder itself, but where a link is', () => {
    expect(withVolumeFolder(mounts(network, global), '/folder')).toEqual(
      mounts({ ...network, path: '/folder' }, global),
    )
    const usual = mounts({ ...network, path: '/runpod-volume' })
    expect(withVolumeFolder(usual, '/folder')).toEqual(usual)
    expect(withVolumeFolder(mounts(network), undefined)).toEqual(mounts(network))
    expect(withVolumeFolder({ A: '1' }, '/folder')).toEqual({ A: '1' })
  })
})
