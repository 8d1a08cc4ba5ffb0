import { Route, Switch } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { NotFound } from '../../ui/NotFound.tsx'
import { CatalogPage } from './CatalogPage.tsx'

/** The catalog. */
export function CatalogPages() {
  return (
    <Switch>
      <Route path={ADDRESS.catalog}>
        <CatalogPage />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
