import { PageToCome } from '../../ui/PageToCome.tsx'

/** The catalog of ready images. */
export function CatalogPages() {
  return <PageToCome name="Catalog" what="Ready images" command="drydock endpoint create --help" />
}
