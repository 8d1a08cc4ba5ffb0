import { beforeEach } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { dockerPlace } from './docker-place.ts'
import { describeFleet } from './fleet.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

describeFleet('docker', () => dockerPlace('dockerHost' in engine ? engine.dockerHost : ''))
