import { MoreTexts } from '@platen/app/frame'
import { Route, Switch } from 'wouter'
import type { PageProps } from '../shell/console-page.ts'
import { NotFoundPage } from '../shell/failure.tsx'
import { ProductListPage } from './list/product-list-page.tsx'
import { NewProductPage } from './product/new-product-page.tsx'
import { ProductPage } from './product/product-page.tsx'

/** The products, a page for each, and a page for a new one. */
export function CataloguePages({ user }: PageProps) {
  return (
    <MoreTexts groups={['consoleCatalogue']}>
      <Switch>
        <Route path="/catalogue">
          <ProductListPage />
        </Route>
        <Route path="/catalogue/new">
          <NewProductPage user={user} />
        </Route>
        <Route path="/catalogue/:productId">
          {({ productId }) => <ProductPage key={productId} productId={productId} user={user} />}
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </MoreTexts>
  )
}
