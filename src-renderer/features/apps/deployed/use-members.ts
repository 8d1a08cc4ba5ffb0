import { useShallow } from 'zustand/react/shallow'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { Place } from '../../../api-client/app-queries.ts'
import { useAppState } from '../../../store/app-context.ts'

/** The endpoints of an environment as they are now. */
export function useMembers({ app, environment }: Place): readonly LiveEndpoint[] {
  return useAppState(
    useShallow((state) =>
      Object.values(state.live.endpoints).filter((one) => one.app?.name === app && one.app.environment === environment),
    ),
  )
}
