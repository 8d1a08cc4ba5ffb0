import { Route, Switch } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { NotFound } from '../../ui/PageStates.tsx'
import { MachineDetailPage } from './MachineDetailPage.tsx'
import { MachineListPage } from './MachineListPage.tsx'

export function MachinePages() {
  return (
    <Switch>
      <Route path={ADDRESS.machines} component={MachineListPage} />
      <Route path={`${ADDRESS.machines}/:machine`}>
        {({ machine }) => <MachineDetailPage key={machine} name={machine} />}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
