import { Route, Switch } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { NotFound } from '../../ui/NotFound.tsx'
import { ModelsPage } from './ModelsPage.tsx'

/** The models of this machine. */
export function ModelPages() {
  return (
    <Switch>
      <Route path={ADDRESS.models()}>
        <ModelsPage />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
