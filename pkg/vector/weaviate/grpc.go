package weaviate

//lint:file-ignore SA1019 without the deprecated Uses_ fields servers of 1.23 to 1.27 answer in the old form

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// grpcWire speaks gRPC by the stubs that the client library links.
type grpcWire struct{ client pb.WeaviateClient }

func (w *grpcWire) write(ctx context.Context, to tenantClass, objects []object) error {
	req := &pb.BatchObjectsRequest{Objects: make([]*pb.BatchObject, len(objects))}
	for i := range objects {
		req.Objects[i] = objects[i].message(to)
	}
	reply, err := w.client.BatchObjects(ctx, req)
	if err != nil {
		return explain(ctx, err)
	}
	for _, e := range reply.GetErrors() {
		return refused(ctx, objects, int(e.GetIndex()), e.GetError(), len(reply.GetErrors()))
	}
	return nil
}

// refused is the error of a batch in which the server refused n objects, this one first.
func refused(ctx context.Context, objects []object, i int, text string, n int) error {
	if i < 0 || i >= len(objects) {
		return fmt.Errorf("the server refused %d of %d entries: %w", n, len(objects), means(clip(text)))
	}
	return fmt.Errorf("the server refused %d of %d entries; entry %s: %w", n, len(objects), objects[i].id, means(clip(text)))
}

func (o *object) message(to tenantClass) *pb.BatchObject {
	fields := map[string]*structpb.Value{"doc": structpb.NewStringValue(o.doc), "generation": structpb.NewNumberValue(float64(o.generation))}
	for name, words := range o.words {
		fields[name] = structpb.NewStringValue(words)
	}
	return &pb.BatchObject{Uuid: o.id.String(), Collection: to.class, Tenant: string(to.tenant), VectorBytes: float32s(o.vector),
		Properties: &pb.BatchObject_Properties{NonRefProperties: &structpb.Struct{Fields: fields}}}
}

// float32s is v as little-endian bytes.
func float32s(v []float32) []byte {
	if v == nil {
		return nil
	}
	b := make([]byte, 4*len(v))
	for i, f := range v {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(f))
	}
	return b
}

func (w *grpcWire) list(ctx context.Context, q query) ([]vector.Hit, error) {
	reply, err := w.client.Search(ctx, q.message())
	if err != nil {
		return nil, explain(ctx, err)
	}
	hits := make([]vector.Hit, 0, len(reply.GetResults()))
	for _, r := range reply.GetResults() {
		m := r.GetMetadata()
		id, err := parseID(m.GetId())
		if err != nil {
			return nil, err
		}
		h := vector.Hit{ID: id, Score: m.GetScore()}
		if q.vector != nil {
			h.Score = 1 - m.GetDistance()
		}
		hits = append(hits, h)
	}
	return hits, nil
}

func (q *query) message() *pb.SearchRequest {
	r := &pb.SearchRequest{Collection: q.class, Tenant: string(q.tenant), Limit: uint32(q.limit), Filters: q.filters(),
		Metadata: &pb.MetadataRequest{Uuid: true}, Properties: &pb.PropertiesRequest{}, Uses_123Api: true, Uses_125Api: true, Uses_127Api: true}
	switch {
	case q.vector != nil:
		r.NearVector, r.Metadata.Distance = &pb.NearVector{VectorBytes: float32s(q.vector)}, true
	case q.property != "":
		r.Bm25Search, r.Metadata.Score = &pb.BM25{Query: q.tokens, Properties: []string{q.property}}, true
	case q.after != nil:
		r.After = q.after.String()
	}
	return r
}

func (q *query) filters() *pb.Filters {
	if v := q.versions; v != nil {
		return &pb.Filters{Operator: pb.Filters_OPERATOR_AND, Filters: []*pb.Filters{
			{Operator: pb.Filters_OPERATOR_EQUAL, Target: on("doc"), TestValue: &pb.Filters_ValueText{ValueText: docName(v.doc)}},
			{Operator: pb.Filters_OPERATOR_GREATER_THAN_EQUAL, Target: on("generation"), TestValue: &pb.Filters_ValueInt{ValueInt: int64(v.from)}},
			{Operator: pb.Filters_OPERATOR_LESS_THAN_EQUAL, Target: on("generation"), TestValue: &pb.Filters_ValueInt{ValueInt: int64(v.to)}},
		}}
	}
	if q.docs == nil {
		return nil
	}
	return anyOf("doc", docNames(q.docs))
}

func on(property string) *pb.FilterTarget {
	return &pb.FilterTarget{Target: &pb.FilterTarget_Property{Property: property}}
}

func anyOf(property string, values []string) *pb.Filters {
	return &pb.Filters{Operator: pb.Filters_OPERATOR_CONTAINS_ANY, Target: on(property),
		TestValue: &pb.Filters_ValueTextArray{ValueTextArray: &pb.TextArray{Values: values}}}
}

// docNames is a filter's documents, each once.
func docNames(docs vector.Filter) []string {
	seen, out := make(map[doc.Prefix]bool, len(docs)), make([]string, 0, len(docs))
	for _, p := range docs {
		if !seen[p] {
			seen[p] = true
			out = append(out, docName(p))
		}
	}
	return out
}

func (w *grpcWire) remove(ctx context.Context, from tenantClass, ids []doc.EntryID) (int, error) {
	tenant := string(from.tenant)
	reply, err := w.client.BatchDelete(ctx, &pb.BatchDeleteRequest{Collection: from.class, Tenant: &tenant, Filters: anyOf("_id", uuids(ids))})
	if err != nil {
		return 0, explain(ctx, err)
	}
	if n := reply.GetFailed(); n > 0 {
		return int(reply.GetSuccessful()), fmt.Errorf("the server did not delete %d of %d entries", n, len(ids))
	}
	return int(reply.GetSuccessful()), nil
}

func uuids(ids []doc.EntryID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.String()
	}
	return out
}
