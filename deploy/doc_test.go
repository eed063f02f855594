// Package deploy_test holds what stands in deploy/ and docker-compose.yml to the program: images pinned, names of
// settings and roles that exist, rights that hold on a real NATS server, an image whose steps run.
package deploy_test
