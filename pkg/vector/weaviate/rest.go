package weaviate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-openapi/strfmt"
	"github.com/weaviate/weaviate-go-client/v4/weaviate"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/graphql"
	"github.com/weaviate/weaviate/entities/models"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// restWire speaks REST for writes and GraphQL for lists, for servers whose gRPC port can't be reached. Every value goes
// through the client's builders, which quote it.
type restWire struct{ client *weaviate.Client }

func (w *restWire) write(ctx context.Context, to tenantClass, objects []object) error {
	batch := make([]*models.Object, len(objects))
	for i := range objects {
		batch[i] = objects[i].model(to)
	}
	reply, err := w.client.Batch().ObjectsBatcher().WithObjects(batch...).Do(ctx)
	if err != nil {
		return explain(ctx, err)
	}
	if len(reply) != len(objects) {
		return fmt.Errorf("the server answered for %d of %d entries", len(reply), len(objects))
	}
	first, text, n := -1, "", 0
	for i, o := range reply {
		if bad := faultOf(o); bad != "" {
			if n++; first < 0 {
				first, text = i, bad
			}
		}
	}
	if n > 0 {
		return refused(ctx, objects, first, text, n)
	}
	return nil
}

// faultOf is why the server refused one object of a batch; "" when it took it.
func faultOf(o models.ObjectsGetResponse) string {
	r := o.Result
	if r == nil {
		return ""
	}
	if r.Errors != nil && len(r.Errors.Error) > 0 && r.Errors.Error[0] != nil {
		return r.Errors.Error[0].Message
	}
	if r.Status != nil && *r.Status != models.ObjectsGetResponseAO2ResultStatusSUCCESS {
		return "status " + *r.Status
	}
	return ""
}

func (o *object) model(to tenantClass) *models.Object {
	props := map[string]any{"doc": o.doc, "generation": o.generation}
	for name, words := range o.words {
		props[name] = words
	}
	return &models.Object{Class: to.class, Tenant: string(to.tenant), ID: strfmt.UUID(o.id.String()), Properties: props, Vector: o.vector}
}

func (w *restWire) list(ctx context.Context, q query) ([]vector.Hit, error) {
	r, err := w.build(q).Do(ctx)
	var answer struct{ Get map[string][]restHit }
	if err := decode(ctx, r, err, &answer); err != nil {
		return nil, err
	}
	hits := make([]vector.Hit, 0, len(answer.Get[q.class]))
	for _, h := range answer.Get[q.class] {
		id, err := parseID(h.Additional.ID)
		if err != nil {
			return nil, err
		}
		hit := vector.Hit{ID: id}
		switch {
		case q.vector != nil:
			hit.Score = 1 - h.Additional.Distance
		case q.property != "":
			s, err := strconv.ParseFloat(h.Additional.Score, 32)
			if err != nil {
				return nil, fmt.Errorf("the server gave %q as a score", clip(h.Additional.Score))
			}
			hit.Score = float32(s)
		}
		hits = append(hits, hit)
	}
	return hits, nil
}

type restHit struct {
	Additional struct {
		ID       string
		Score    string
		Distance float32
	} `json:"_additional"`
}

func (w *restWire) build(q query) *graphql.GetBuilder {
	api := w.client.GraphQL()
	fields := []graphql.Field{{Name: "id"}}
	g := api.Get().WithClassName(q.class).WithTenant(string(q.tenant)).WithLimit(q.limit)
	switch {
	case q.vector != nil:
		g, fields = g.WithNearVector(api.NearVectorArgBuilder().WithVector(q.vector)), append(fields, graphql.Field{Name: "distance"})
	case q.property != "":
		g, fields = g.WithBM25(api.Bm25ArgBuilder().WithQuery(q.tokens).WithProperties(q.property)), append(fields, graphql.Field{Name: "score"})
	case q.after != nil:
		g = g.WithAfter(q.after.String())
	}
	if v := q.versions; v != nil {
		g = g.WithWhere(filters.Where().WithOperator(filters.And).WithOperands([]*filters.WhereBuilder{
			equal("doc").WithValueText(docName(v.doc)),
			filters.Where().WithPath([]string{"generation"}).WithOperator(filters.GreaterThanEqual).WithValueInt(int64(v.from)),
			filters.Where().WithPath([]string{"generation"}).WithOperator(filters.LessThanEqual).WithValueInt(int64(v.to)),
		}))
	} else if q.docs != nil {
		g = g.WithWhere(filters.Where().WithPath([]string{"doc"}).WithOperator(filters.ContainsAny).WithValueText(docNames(q.docs)...))
	}
	return g.WithFields(graphql.Field{Name: "_additional", Fields: fields})
}

func (w *restWire) remove(ctx context.Context, from tenantClass, ids []doc.EntryID) (int, error) {
	where := filters.Where().WithPath([]string{"_id"}).WithOperator(filters.ContainsAny).WithValueText(uuids(ids)...)
	reply, err := w.client.Batch().ObjectsBatchDeleter().WithClassName(from.class).WithTenant(string(from.tenant)).
		WithOutput("minimal").WithWhere(where).Do(ctx)
	if err != nil {
		return 0, explain(ctx, err)
	}
	if reply.Results == nil {
		return 0, errors.New("the server does not say what it deleted")
	}
	if n := reply.Results.Failed; n > 0 {
		return int(reply.Results.Successful), fmt.Errorf("the server did not delete %d of %d entries", n, len(ids))
	}
	return int(reply.Results.Successful), nil
}

// decode reads a GraphQL answer into v, after its errors.
func decode(ctx context.Context, r *models.GraphQLResponse, err error, v any) error {
	if err != nil {
		return explain(ctx, err)
	}
	for _, e := range r.Errors {
		if e != nil {
			return explain(ctx, errors.New(e.Message))
		}
	}
	b, err := json.Marshal(r.Data)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
